"""Words a text is not about: fillers and light verbs, in both languages. Tables to read and extend."""

from __future__ import annotations

ENGLISH = frozenset(
    """make take do give go come put keep seem become use want need try help happen say tell know think mean see look
    find show turn bring call ask feel work thing stuff way lot bit kind sort type case point fact matter part side
    okay ok yeah yes hey hi hello thanks thank sorry sure well right really actually basically simply quite rather
    maybe perhaps probably possibly certainly definitely obviously clearly literally honestly anyway however therefore
    thus hence moreover furthermore although though whether since because unless except besides instead without within
    upon among between against toward towards onto per via etc eg ie also still yet already ever never always often
    sometimes usually generally typically currently today now soon later recently every everyone everything everybody
    someone something somebody anyone anything anybody nobody nothing none one ones another many several various
    certain different able cannot cant wont dont doesnt isnt didnt good great nice bad new old big small long short
    um uh uhm hmm mm huh oh ah gonna wanna gotta note remember please apparently must should might include involve
    regard concern relate exist allow let have be am is are was were get got""".split()
)

CHINESE = frozenset(
    """使用 全部 全都 可以 如果 我们 你们 他们 她们 它们 咱们 大家 自己 需要 通过 进行 可能 所有 例如 没有 这些
    那些 这个 那个 用于 其他 任何 必须 因为 所以 但是 而且 并且 或者 以及 作为 不会 不同 不是 不能
    不要 不用 不可 无法 什么 怎么 怎样 如何 哪些 哪个 为何 是否 现在 目前 当前 对于 关于 根据 基于
    按照 通常 一般 往往 总是 始终 一直 永远 从来 经常 有时 已经 正在 曾经 应该 应当 应 会 能 能够 可
    要 想 得 须 需 请 然后 因此 于是 不过 然而 虽然 尽管 即使 只要 只有 只能 除非 除了 否则 无论
    不管 一些 一个 一种 一下 一样 一点 有些 有的 某些 某个 每个 每次 每当 各种 多个 几个 很多 许多
    非常 十分 特别 比较 更加 最 更 太 很 也 还 又 再 就 才 都 只 仅 已 曾 正 将 把 被 让 给 对 向 从
    到 于 为 以 由 用 在 是 有 无 没 不 未 别 的 了 着 过 吗 呢 吧 啊 呀 嘛 哦 嗯 唉 喂 这 那 哪 此
    其 之 与 和 及 或 而 且 但 若 则 即 所 者 个 位 名 种 件 条 次 些 们 我 你 您 他 她 它 上 下 里
    中 内 外 前 后 时 来 去 做 作 说 看 叫 使 令 存在 具有 包括 包含 属于 成为 发生 出现 认为 觉得
    知道 表示 说明 希望 想要 东西 事情 时候 情况 方面 部分 之前 之后 之间 以前 以后 以下 以上 其中
    之一 同时 其实 确实 当然 也许 大概 大约 左右 一律 统一 凡是 务必 注意 记得 今后 往后 起来 出来
    下来 过来 这样 那样 这种 那种 这里 那里 就是 还是 只是 都是 也是 的话 等 等等 均 皆 并 各 每 某
    另 另外 此外 本 该 当 如 比 跟 同 连 至 自 自从 直到 有关 相关 给出 提供 得到 变得 开始 了解 点
    样 么""".split()
)

# People write both; a memory with one is about the other.
SHORT_FORMS = {
    short: full
    for full, shorts in {
        "configuration": "config configs cfg conf",
        "database": "db dbs",
        "repository": "repo repos",
        "environment": "env envs",
        "documentation": "doc docs",
        "document": "documents",
        "authentication": "auth authn",
        "production": "prod",
        "development": "dev",
        "application": "app apps",
        "parameter": "param params",
        "argument": "arg args",
        "directory": "dir dirs folder folders",
        "administrator": "admin admins",
        "kubernetes": "k8s",
        "postgresql": "postgres pg",
        "javascript": "js",
        "typescript": "ts",
        "dependency": "dep deps",
        "specification": "spec specs",
        "message": "msg msgs",
        "information": "info",
        "maximum": "max",
        "minimum": "min",
    }.items()
    for short in shorts.split()
}
