const en = {
  title: 'Sign in to memsieve',
  lead: 'People are the gate to long-term memory. Sign in to decide what agents may rely on.',
  link: 'Open the link that memsieve serve prints, or paste a key:',
  key: 'Key',
  placeholder: 'msv_…',
  submit: 'Sign in',
  busy: 'Signing in',
  refused: 'This key is not valid. Make one with memsieve keys make, or take the newest link that the server printed.',
  without: 'Go on without a key',
  withoutHelp: 'You may ask what agents would be told, and see what is in working memory.',
  kept: 'The key is split between a cookie and this page, and is gone when you close the browser.',
};

const zh: typeof en = {
  title: '登录 memsieve',
  lead: '长期记忆由人来把关。登录后，由您决定智能体可以依据什么。',
  link: '打开 memsieve serve 打印的链接，或粘贴密钥：',
  key: '密钥',
  placeholder: 'msv_…',
  submit: '登录',
  busy: '正在登录',
  refused: '此密钥无效。请用 memsieve keys make 生成密钥，或使用服务器最近打印的链接。',
  without: '不登录，直接继续',
  withoutHelp: '可以查看智能体会得到怎样的回答，以及当前的工作记忆。',
  kept: '密钥拆分保存在 Cookie 和本页面中，关闭浏览器后即失效。',
};

export const signin = { en, zh };
