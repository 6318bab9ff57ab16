const en = {
  title: 'Working memory',
  lead: 'What agents are told now as temporary context. Nobody approved it; it leaves by itself after 24 hours.',
  places: (n: string, all: string) => `${n} of ${all} places taken`,
  next: (span: string) => `the next one leaves in ${span}`,
  leaving: 'When each leaves',
  now: 'now',
  hours: (n: string) => `${n} h`,
  list: 'Live entries',
  left: (span: string) => `${span} left`,
  open: 'Its checks',
  unnamed: 'unnamed agent',
  none: 'Working memory is empty',
  noneHelp: 'An entry that passes every check is here for 24 hours. What was refused, and why, is in quarantine.',
  toQuarantine: 'To quarantine',
};

const zh: typeof en = {
  title: '工作记忆',
  lead: '智能体此刻会作为临时上下文得到的内容。未经人批准，24 小时后自动离开。',
  places: (n, all) => `已占 ${n} / ${all} 个位置`,
  next: (span) => `下一条将在${span}后离开`,
  leaving: '各条离开的时间',
  now: '现在',
  hours: (n) => `${n} 小时`,
  list: '当前条目',
  left: (span) => `剩余${span}`,
  open: '查看检查',
  unnamed: '未具名智能体',
  none: '工作记忆为空',
  noneHelp: '通过全部检查的条目会在这里停留 24 小时。被拒的内容及原因见隔离区。',
  toQuarantine: '前往隔离区',
};

export const working = { en, zh };
