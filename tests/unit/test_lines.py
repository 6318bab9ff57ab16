"""Lines of a stream come as they are there: whole, in order, however the stream is cut into pieces."""

import io

import pytest

from memsieve.transfer.importer import TOGETHER, batches


class Trickle(io.BytesIO):
    """A pipe that gives a few bytes at a time, and counts how often it was asked."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size
        self.asked = 0

    def read1(self, _size=-1, /):
        self.asked += 1
        return super().read1(self._size)


def lines_of(stream, longest=100):
    return [(line.number, line.raw, line.end) for batch in batches(stream, longest) for line in batch]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_line_is_the_same_in_whatever_pieces_it_comes(size):
    long = b"x" * 9
    data = b"one\n\r\n \ntwo\r\n" + long + b"x\n" + long + b"\n\nlast"
    assert lines_of(Trickle(data, size), longest=10) == [
        (1, b"one", 4),
        (4, b"two\r", 13),
        (5, None, 24),
        (6, long, 34),
        (8, b"last", 39),
    ]


@pytest.mark.parametrize("size", [3, 1000])
def test_a_last_line_without_end_may_be_too_long(size):
    assert lines_of(Trickle(b"one\n" + b"x" * 11, size), longest=10) == [(1, b"one", 4), (2, None, 15)]


def test_a_line_of_a_pipe_does_not_wait_for_the_next():
    stream = Trickle(b"one\ntwo\n", 4)
    assert [line.raw for line in next(batches(stream, 100))] == [b"one"]
    assert stream.asked == 1


def test_not_more_than_a_batch_comes_at_once():
    stream = io.BytesIO(b"x\n" * (2 * TOGETHER + 1))
    assert [len(batch) for batch in batches(stream, 100)] == [TOGETHER, TOGETHER, 1]


def test_nothing_comes_of_nothing():
    assert lines_of(io.BytesIO()) == lines_of(io.BytesIO(b"\n \n")) == []
