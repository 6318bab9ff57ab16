"""One word for what Taiwan and the mainland call differently. A table to read and extend."""

from __future__ import annotations

import re
from functools import cache

# After simplification. Left out: what means something else on the other side (指标, 资料, 交易, 例外).
_MAINLAND = dict(
    pair.split("=")
    for pair in """资料库=数据库 资料夹=文件夹 资料表=数据表 程式码=代码 原始码=源代码 程式=程序 档案=文件
    设定档=配置文件 暂存档=临时文件 记忆体=内存 执行绪=线程 软体=软件 硬体=硬件 硬碟=硬盘 网路=网络 预设=默认
    字串=字符串 位元组=字节 伫列=队列 伺服器=服务器 变数=变量 函式=函数 回圈=循环 阵列=数组 物件=对象 使用者=用户
    登入=登录 登出=退出 连线=连接 资讯=信息 讯息=消息 萤幕=屏幕 滑鼠=鼠标 列印=打印 汇入=导入 汇出=导出 专案=项目
    支援=支持 设定=设置 快取=缓存 演算法=算法 回传=返回 呼叫=调用 除错=调试 模组=模块 线上=在线 最佳化=优化
    全域=全局 相容=兼容 存取=访问 逾时=超时 建构=构建 权杖=令牌 汇流排=总线 相依=依赖 巨集=宏
    行动装置=移动设备""".split()
)


def mainland(text: str) -> str:
    """Return a simplified text with the words of the mainland."""
    return _words().sub(lambda found: _MAINLAND[found[0]], text)


@cache
def _words() -> re.Pattern[str]:
    longest_first = sorted(_MAINLAND, key=len, reverse=True)
    # 方程式 is an equation, and no program.
    return re.compile("(?<!方)(?:" + "|".join(longest_first) + ")")
