const en = {
  title: 'Checks',
  passed: 'passed',
  failed: 'failed',
  names: {
    length: 'Length',
    confidence: 'Confidence',
    substance: 'Substance',
    tombstone: 'Rejected before',
    echo: 'Echo',
    injection: 'Injection',
    duplicate: 'Duplicate',
    consistency: 'Consistency',
    age: 'Age',
    embedder: 'Embedder',
    store: 'Store',
    spool: 'Waits on disk',
    begun: 'Unfinished',
  } as Record<string, string>,
  rejected: 'See what was rejected',
};

const zh: typeof en = {
  title: '检查',
  passed: '通过',
  failed: '未通过',
  names: {
    length: '长度',
    confidence: '置信度',
    substance: '内容价值',
    tombstone: '曾被否定',
    echo: '复述',
    injection: '注入',
    duplicate: '重复',
    consistency: '一致性',
    age: '时效',
    embedder: '向量模型',
    store: '存储',
    spool: '暂存磁盘',
    begun: '未完成',
  },
  rejected: '查看被否定的内容',
};

export const checks = { en, zh };
