"""Which texts are about one spot or one moment only."""

import pytest

from memsieve.refine.narrow import why_narrow

NARROW_ENGLISH = """
MAGIC.C line 42 has special handling.
There is a typo in the docstring of parse_config().
Renamed tmp to buffer in src/io/reader.py.
PR #312 was merged on Tuesday.
Ticket BILL-482 is assigned to Dana.
Commit 3fa2b1c broke the nightly job.
I fixed the off-by-one in the loop of render_table() this morning.
utils.py has an unused import of os.
Line 118 of server.go is missing a null check.
The helper formatDate is 240 lines long.
Let me check the logs.
I am running the tests now.
I just fixed it this morning.
Hold on, let me open the page.
I'll look into it and get back to you.
I just pushed the branch.
One moment, I am restarting the server.
Let's move on to the next item.
I'm currently waiting for the build.
Sam is debugging the login page right now.
Maria is out sick today.
I have to leave at 3.
Added a trailing comma in package.json.
Issue 77 is still in review.
See app/models/user.rb:88 for the stray debug print.
Okay. Let me try that again.
I'm going to run it once more.
I am running all the tests now.
Updated the copyright line in LICENSE.txt.
There's a leftover TODO in Makefile.
MR 1204 needs a rebase.
I will search for the author's homepage.
I was just reading the second page.
Fixed a memory leak in cache_manager.cpp.
I'm going to grab a coffee, back in ten minutes.
JIRA ticket OPS-91 was closed yesterday.
Hang on, I'm opening the dashboard.
In get_user() the variable name is misspelled.
I ran the migration this afternoon.
There is a hard-coded path in deploy.sh.
Bob is looking at the logs right now.
Pull request 88 is waiting for review.
Reverted commit a1b2c3d4.
I'm just checking whether the server answers.
handler.ts:210 has a wrong operator.
Let me quickly summarise the page.
I've just restarted the container.
README.md had two typos, corrected.
Can you hear me?
We're looking at slide four now.
I will open the second link.
Function computeTax has a leftover print statement.
"""

GENERAL_ENGLISH = """
Never edit src/schema.sql by hand: it is generated.
The billing service stores invoices in PostgreSQL.
The Pro plan costs $30 a month.
We decided to use feature flags for the checkout.
HTTP 429 is returned after 100 requests per minute.
Version 2.3 drops support for Python 3.8.
Every pull request needs two approvals.
The p95 latency of search is 340 ms.
config.toml holds the default settings of all services.
parse_config() returns None when the file is missing.
I just noticed that the API truncates names at 64 characters.
I am allergic to peanuts.
I just moved to Berlin.
I prefer tabs over spaces.
Tests in tests/e2e need a running Redis.
PR #312 and PR #318 both broke the cache.
The deadline for the audit is 1 March.
Alice leads the payments team.
The remote control will have a rubber case.
Backups run every night at 2 a.m.
After the merge of PR #312, all timestamps are in UTC.
main.py is the entry point of the worker.
I'm working on a novel about the war.
Let's use PostgreSQL for the new service.
Let me explain: the token expires after 15 minutes.
I just changed the default timeout to 30 seconds because uploads failed.
The committee is looking at funding for schools in Wales.
Do not call flush() inside a transaction.
The office is closed on Mondays.
The root cause of the outage was a full disk on db-3.
She is trying to cut her sugar intake.
The fix in retry.py should be applied to every client.
Users of the old app cannot log in since March.
The tests are green with NumPy 2.
Line 4 of the metro runs until midnight.
GPT-4 is closed source.
The UTF-8 encoding is used for all exports.
Our main supplier moved production to Vietnam.
I have to leave meat out of my diet.
The team is waiting for approval of the budget.
Deploys go through Jenkins, not through GitHub Actions.
Kim owns the release checklist.
The checkout page fails in Safari 15 when cookies are blocked.
We moved the nightly job from cron to Airflow.
The staging database is refreshed on Sundays.
A memory leak in the image library makes workers restart after about 10,000 jobs.
src/legacy is frozen until the rewrite ships.
Error E1042 means that the licence expired.
retry() doubles the delay on each attempt.
The customer asked for an export in CSV.
I just learned that the vendor stops selling the sensor in June.
My sister Anna lives in Oslo.
I am running a small bakery in Lyon.
The new phone is out now.
The bridge was closed for repairs in 2019.
Fixed-price contracts need a change order.
The parser in parser.py is recursive and overflows on deep input.
The team merged the two roadmaps into one.
The Treasury is reviewing the tax on plastic.
Let's go with the cheaper battery.
The migration renamed the table orders to purchases.
Since 2.0 the client retries idempotent calls.
I opened a savings account at the local bank this year.
The service is waiting for a lock held by the importer, so requests time out.
I was reading about black holes and got fascinated by them.
"""

NARROW_CHINESE = """
MAGIC.C 第 42 行的特殊處理
我现在去看一下
我刚刚改了配置文件
让我先看看日志
稍等，我马上重启服务
我正在跑测试
src/io/reader.py 里有一个拼写错误
parse_config() 里少了一个空指针判断
把 utils.py 里的变量名改了
PR #312 已经合并了
工单 482 分配给小王了
提交 3fa2b1c 已经回滚
server.go 第118行缺少分号
我先查一下资料
等一下，我再试试
我这就去处理
小李今天请假
我刚才测试了一下
BILL-482 还在评审中
我来看看这个页面
render_table() 函数里有一行没用到的代码
删除了 main.c 里注释掉的代码
我今天早上修了这个问题
我待会儿再看
我刚提交了代码
package.json 里多了一个逗号
MR 1204 卡在评审
我现在正在编译
我们先休息一下
Makefile 里还有一个待办
修复了 cache_manager.cpp 里的内存泄漏
我去倒杯水，马上回来
OPS-91 昨天已关闭
我打开一下后台
get_user() 里的变量名拼错了
deploy.sh 里写死了一个路径
我正在看日志
PR 88 在等评审
提交 a1b2c3d4 已回滚
让我确认一下
handler.ts 第 210 行的运算符不对
我刚重启了容器
README.md 有两个错别字，已经改了
我先总结一下这一页
我等会儿再处理
computeTax 函数里多余的打印语句删掉了
能听到吗
我馬上去查
"""

GENERAL_CHINESE = """
不要手工修改 src/schema.sql：它是生成的
账单服务把发票存放在 PostgreSQL 里
专业版每月价格为三十美元
我们决定结账流程使用功能开关
每分钟超过一百次请求会返回 HTTP 429
2.3 版本不再支持 Python 3.8
每个合并请求必须有两个人批准
搜索的九五分位延迟是 340 毫秒
config.toml 存放各个服务的默认配置
文件不存在时 parse_config() 返回空值
我刚刚发现接口会把名字截断到64个字符
我对花生过敏
我刚搬到北京
所有时间戳一律使用 UTC
凡是涉及金额的字段禁止使用浮点数
备份每天凌晨两点运行
审计的截止日期是三月一日
小王负责支付团队
遥控器将采用橡胶外壳
合并之后缓存命中率提高到百分之九十
main.py 是工作进程的入口
我在写一本关于战争的小说
事务里不能调用 flush()
办公室周一不开放
故障的根本原因是数据库磁盘写满
retry.py 的改法应该用到每个客户端
三月以来老用户无法登录
地铁四号线运行到午夜
我们的主要供应商把生产迁到了越南
团队在等预算批准
部署前总是先跑一遍迁移脚本
缓存键必须包含租户编号
日志里禁止出现密码
新员工试用期为三个月
这款手机的电池容量是五千毫安时
我喜欢用制表符缩进
公司今年在深圳开了两家分店
消费者的收入增长比较缓慢
疫情之后旅游业恢复得很快
PR #312 和 PR #318 都影响了缓存
发布走 Jenkins，不走 GitHub Actions
小金负责发布清单
Safari 15 屏蔽 Cookie 时结账页会失败
夜间任务从 cron 迁到了 Airflow
预发布数据库每周日刷新
图片库的内存泄漏让进程在一万个任务左右后重启
src/legacy 在重写上线前冻结
错误码 E1042 表示许可证过期
retry() 每次尝试把等待时间加倍
客户要求导出 CSV
我刚得知供应商六月停售这款传感器
我妹妹安娜住在奥斯陆
我在里昂经营一家小面包店
新手机现在上市了
这座桥2019年因维修关闭
parser.py 的解析器是递归的，输入太深会溢出
团队把两个路线图合并了
财政部正在评估塑料税
我们就用便宜的那种电池
迁移把 orders 表改名为 purchases
我今年在当地银行开了账户
我最近在看关于黑洞的书
导入任务占着锁，请求会超时
第42行诗写得最好
农民工的工资去年上涨了百分之五
"""


# Let through although they are narrow; each would take a rule that costs good findings.
MISSED = {
    "The test test_login_redirect is red again.": "the state of a test is not told from the state of a product",
    "我下午跑了一遍迁移": "an afternoon alone does not make a moment",
    "小张现在正在调试登录页": "a name is not told from other words before 现在",
    "src/io/reader.py is hard to read.": "an opinion of one file has no word of flaw or edit",
    "ABC-12 is about the login page.": "what a ticket is about may be a fact",
    "Tom just left for the airport.": "what others do is a moment only with a word of now",
}


def lines(*blocks):
    return [line for block in blocks for line in block.strip().splitlines()]


NARROW = lines(NARROW_ENGLISH, NARROW_CHINESE)
GENERAL = lines(GENERAL_ENGLISH, GENERAL_CHINESE)


@pytest.mark.parametrize("text", NARROW)
def test_one_spot_or_one_moment_is_narrow(text):
    assert why_narrow(text) is not None


@pytest.mark.parametrize("text", GENERAL)
def test_rules_decisions_and_facts_are_not_narrow(text):
    assert why_narrow(text) is None


@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=pytest.mark.xfail(reason=why, strict=True)) for text, why in MISSED.items()]
)
def test_a_narrow_text_that_is_known_to_get_through(text):
    assert why_narrow(text) is not None


def test_what_is_called_narrow_is_narrow_and_most_narrow_texts_are_found():
    found = [text for text in [*NARROW, *MISSED, *GENERAL] if why_narrow(text)]
    right = set(found) & {*NARROW, *MISSED}
    precision, recall = len(right) / len(found), len(right) / len({*NARROW, *MISSED})
    print(f"narrow: precision {precision:.3f}, recall {recall:.3f} of {len(NARROW) + len(MISSED) + len(GENERAL)} texts")  # noqa: T201 - the measure, shown by -s
    assert precision == 1
    assert recall >= 0.93


@pytest.mark.parametrize("text", NARROW)
@pytest.mark.parametrize("rule", ["This must be so in every service. ", "所有服务都必须这样。"])
def test_a_rule_beside_it_makes_any_text_general(text, rule):
    assert why_narrow(rule + text) is None


@pytest.mark.parametrize("text", NARROW)
@pytest.mark.parametrize(
    "fact",
    ["The Pro plan includes weekly billing reports for 25 % of teams. ", "专业版套餐里百分之二十五的团队有账单报表。"],
)
def test_a_fact_beside_it_makes_any_text_general(text, fact):
    assert why_narrow(fact + text) is None


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("MAGIC.C 第 42 行的特殊處理", "one file (MAGIC.C, 第 42 行)"),
        ("There is a typo in the docstring of parse_config().", "one function (parse_config)"),
        ("Ticket BILL-482 is assigned to Dana.", "one ticket or change ("),
        ("Okay, let me check the logs.", "one person's moment (“let me check”)"),
        ("我现在去看一下", "one person's moment (“我现在去看”)"),
    ],
)
def test_the_reason_names_what_it_rests_on(text, anchor):
    assert anchor in str(why_narrow(text))


def test_two_files_are_more_than_one_spot():
    assert why_narrow("Fixed a typo in reader.py.")
    assert why_narrow("Fixed a typo in reader.py and in writer.py.") is None


def test_a_function_in_its_file_is_one_spot():
    assert why_narrow("Fixed a typo in parse_config() in src/reader.py, line 7.")


@pytest.mark.parametrize("text", ["", " ", "...", "ok", "嗯", "\n\n"])
def test_a_text_that_says_nothing_is_not_narrow(text):
    assert why_narrow(text) is None
