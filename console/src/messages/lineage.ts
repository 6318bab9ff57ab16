const en = {
  served: 'Served to',
  servedNone: 'Nobody was served it yet.',
  times: (n: number, times: string) => (n === 1 ? 'once' : `${times} times`),
  asked: (query: string) => `asked “${query}”`,
  unnamed: 'unnamed agent',
  noSession: 'no session',
  more: (n: string) => `Show ${n} more`,
  history: 'History',
  by: (who: string) => `by ${who}`,
  actions: {
    promoted: 'Promoted',
    dismissed: 'Dismissed',
    retired: 'Retired',
    deleted: 'Deleted',
    'foreign project refused': 'Foreign project refused',
    'key made': 'Key made',
    'key revoked': 'Key revoked',
  } as Record<string, string>,
};

const zh: typeof en = {
  served: '曾提供给',
  servedNone: '尚未提供给任何会话。',
  times: (_n, times) => `${times} 次`,
  asked: (query) => `提问“${query}”`,
  unnamed: '未具名智能体',
  noSession: '无会话',
  more: (n) => `再显示 ${n} 条`,
  history: '经过',
  by: (who) => `由 ${who}`,
  actions: {
    promoted: '晋升',
    dismissed: '驳回',
    retired: '退役',
    deleted: '删除',
    'foreign project refused': '拒绝访问其他项目',
    'key made': '创建密钥',
    'key revoked': '撤销密钥',
  },
};

export const lineage = { en, zh };
