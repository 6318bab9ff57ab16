import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not installed

from benchmarks.questions import locomo, qmsum, vcsum


def test_a_locomo_question_is_answered_by_the_turns_it_names_that_are_there(tmp_path):
    turns = [{"dia_id": "D1:1", "speaker": "Ann", "text": "Hi"}, {"dia_id": "D1:2", "speaker": "Bo", "text": "Yes"}]
    questions = [
        {"question": "Who?", "evidence": ["D:1:02; D9:9"], "category": 5},
        {"question": "Nowhere?", "evidence": ["D7:1"], "category": 1},
    ]
    talk = {"sample_id": "c", "sessions": [{"session": 1, "turns": turns}], "questions": questions}
    (tmp_path / "locomo_dev.json").write_text(json.dumps([talk]))
    [read] = locomo(tmp_path)
    assert [(said.text, said.session) for said in read.said] == [("Ann: Hi", "session-1"), ("Bo: Yes", "session-1")]
    [question] = read.questions
    assert question.evidence == {"Bo: Yes"}
    assert question.adversarial


def test_the_spans_of_qmsum_include_their_last_turn(tmp_path):
    turns = [{"speaker": "A", "content": text} for text in ("one", "two", "three")]
    queries = [{"query": "What?", "spans": [["0", "1"]]}]
    (tmp_path / "qmsum_val.jsonl").write_text(json.dumps({"turns": turns, "queries": queries}))
    [read] = qmsum(tmp_path)
    assert read.questions[0].evidence == {"A: one", "A: two"}


def test_a_part_of_vcsum_is_asked_for_by_its_longest_highlight_or_its_topic(tmp_path):
    part = {
        "av_num": 1,
        "agenda": "预算",
        "context": [["我们谈预算。"], ["好的，明天再说。"]],
        "highlights": [[[1, 1, 0, 0, 0, 0]], [[0, 0, 0, 1, 1, 1, 0, 0]]],
    }
    (tmp_path / "vcsum_dev.jsonl").write_text(json.dumps(part))
    [marked], [topic] = (vcsum(tmp_path, highlights=chosen)[0].questions for chosen in (True, False))
    assert (marked.text, topic.text) == ("明天再", "预算")
    assert marked.evidence == topic.evidence == {"我们谈预算。好的，明天再说。"}
