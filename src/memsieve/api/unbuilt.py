"""The page that stands where the console would be: how to build it."""

from __future__ import annotations

import base64
import hashlib

_STYLE = """
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, "PingFang SC", "Noto Sans CJK SC", sans-serif; }
body { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
section { margin-bottom: 2.5rem; }
code { padding: .1rem .35rem; border-radius: .3rem; background: color-mix(in srgb, currentColor 10%, transparent); }
"""
_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>memsieve</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<section>
<h1>The server runs; its console is not built</h1>
<p>In the repository, with Node 20.19 or newer: <code>make console</code>. Then start the server again.</p>
<p>The API needs no console: <a href="/openapi.json">openapi.json</a> describes it, and <a href="/readyz">readyz</a>
says whether all is well.</p>
</section>
<section lang="zh">
<h1>服务器正在运行，控制台尚未构建</h1>
<p>请在代码仓库中运行 <code>make console</code>（需要 Node 20.19 或更高版本），然后重新启动服务器。</p>
<p>API 无需控制台即可使用：说明见 <a href="/openapi.json">openapi.json</a>，
运行状态见 <a href="/readyz">readyz</a>。</p>
</section>
</main>
</body>
</html>
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

UNBUILT = _PAGE.encode()
UNBUILT_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
