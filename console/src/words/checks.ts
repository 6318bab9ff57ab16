/** The reasons of checks, as the server tells them, and how to say them in Chinese; `$1` is what the first group holds. */
const REASONS: [RegExp, string][] = [
  [/^(\d+) bytes long; (\d+) is the least\.$/, '长度 $1 字节，至少需要 $2 字节。'],
  [/^The agent's confidence is (\S+); it must be above (\S+)\.$/, '智能体给出的置信度为 $1，须高于 $2。'],
  [/^No confidence was given\.$/, '未给出置信度。'],
  [/^No confidence was given, and the settings require one\.$/, '未给出置信度，而设置要求必须给出。'],
  [/^Nothing like it was dismissed or retired here\.$/, '此前没有驳回或退役过类似内容。'],
  [
    /^A person dismissed something like it on (\S+) \(similarity (\S+)\)\..*$/,
    '类似内容已于 $1 被人驳回（相似度 $2）。',
  ],
  [/^A person retired something like it on (\S+) \(similarity (\S+)\)\..*$/, '类似内容已于 $1 被人退役（相似度 $2）。'],
  [/^It does not repeat memory served to this session\.$/, '没有复述提供给本会话的记忆。'],
  [
    /^This session was served (.*): it repeats that \(similarity (\S+)\)\.$/s,
    '本会话曾得到 $1，此条是复述（相似度 $2）。',
  ],
  [/^It holds no instruction to its reader\.$/, '不含对读者的指令。'],
  [/^Working memory is empty\.$/, '工作记忆为空。'],
  [/^The nearest entry of working memory is at (\S+), below (\S+)\.$/, '与工作记忆中最近条目的相似度为 $1，低于 $2。'],
  [/^Working memory holds (.*) already \(similarity (\S+)\)\.$/s, '工作记忆中已有 $1（相似度 $2）。'],
  [/^Close to (.*), but it makes another claim\.$/s, '与 $1 相近，但说的是另一回事。'],
  [/^No two sentences of it contradict each other\.$/, '其中没有互相矛盾的句子。'],
  [/^It says "(.*)" and also "(.*)": .*$/s, '先说“$1”，又说“$2”，自相矛盾。'],
  [/^The judge has not answered yet\.$/, '评判模型尚未答复。'],
  [/^The judge gave no reason\.$/, '评判模型没有说明理由。'],
  [/^Not decided, tried again later: (.*)$/s, '尚未决定，稍后重试：$1'],
  [/^It was said on (\S+): working memory holds the last 24 hours only\.$/, '说于 $1，而工作记忆只保留最近 24 小时。'],
  [
    /^Its checks were begun, (\d+) times in a row.*$/s,
    '检查已连续 $1 次开始而未完成；多次之后须由人重试：memsieve retry',
  ],
  [/^It tells its reader to drop the instructions it was given\./, '要求读者丢弃既有指令。'],
  [/^It gives its reader a new identity\./, '给读者安排新的身份。'],
  [/^It tells its reader how to answer later questions\./, '要求读者以特定方式回答以后的问题。'],
  [/^It tells its reader what to put into an answer, or how to word it\./, '指定读者回答的内容或措辞。'],
  [/^It tells its reader to keep something from the user\./, '要求读者向用户隐瞒信息。'],
  [/^It asks its reader for the system prompt or other hidden instructions\./, '向读者索取系统提示或隐藏指令。'],
  [/^It tries to send private data to an outside address\./, '企图把私密数据发往外部地址。'],
  [/^It speaks to the AI that will read it\./, '直接对将要读取它的 AI 说话。'],
  [/^It gives its reader a task that has nothing to do with remembering\./, '给读者布置与记忆无关的任务。'],
  [/^It forges the marks that separate system, user and assistant messages\./, '伪造区分系统、用户与助手消息的标记。'],
  [/^It forges a tool call\./, '伪造工具调用。'],
  [/ It is disguised by letter spacing\./, '以拆开字母的方式伪装。'],
  [/ Found: “(.*)”\.$/s, '原文：“$1”。'],
];

const en = {
  title: 'Checks',
  passed: 'passed',
  failed: 'failed',
  names: {
    length: 'Length',
    confidence: 'Confidence',
    tombstone: 'Rejected before',
    echo: 'Echo',
    injection: 'Injection',
    duplicate: 'Duplicate',
    consistency: 'Consistency',
    age: 'Age',
  } as Record<string, string>,
  reason: (told: string) => told,
  rejected: 'See what was rejected',
};

const zh: typeof en = {
  title: '检查',
  passed: '通过',
  failed: '未通过',
  names: {
    length: '长度',
    confidence: '置信度',
    tombstone: '曾被否定',
    echo: '复述',
    injection: '注入',
    duplicate: '重复',
    consistency: '一致性',
    age: '时效',
  },
  reason: (told) => REASONS.reduce((text, [pattern, words]) => text.replace(pattern, words), told),
  rejected: '查看被否定的内容',
};

export const checks = { en, zh };
