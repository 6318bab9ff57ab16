const en = {
  verified: 'Verified',
  temporary: 'Temporary context',
  temporaryHelp: 'Unverified: do not decide by it alone.',
  until: (when: string) => `It leaves working memory on ${when}.`,
  left: (span: string) => `${span} left`,
  gone: 'expired',
  decisions: { admitted: 'admitted', refused: 'refused', pending: 'pending' },
  reviews: { promoted: 'promoted', dismissed: 'dismissed', retired: 'retired', covered: 'covered' },
};

const zh: typeof en = {
  verified: '已验证',
  temporary: '临时上下文',
  temporaryHelp: '未经验证：不可作为决策的唯一依据。',
  until: (when) => `将于${when}离开工作记忆。`,
  left: (span) => `剩余${span}`,
  gone: '已过期',
  decisions: { admitted: '已准入', refused: '已拒绝', pending: '待定' },
  reviews: { promoted: '已晋升', dismissed: '已驳回', retired: '已退役', covered: '已涵盖' },
};

export const badges = { en, zh };
