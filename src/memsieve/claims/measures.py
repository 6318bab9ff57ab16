"""Names of numbers, days and units, in both languages: tables to read and extend."""

from __future__ import annotations

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS = {
    day: number
    for number, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split(), start=1)
}
CHINESE_WEEKDAYS = {day: number for number, day in enumerate("一二三四五六日", start=1)} | {"天": 7}
NUMERALS = {word: number for number, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)} | {word: 10 * number for number, word in enumerate(
    "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
)}  # fmt: skip
SCALES = {
    word: size
    for size, words in (
        (12.0, "dozen"),
        (100.0, "hundred"),
        (1e3, "thousand k"),
        (1e6, "million m mn"),
        (1e9, "billion bn b"),
        (1e12, "trillion"),
    )
    for word in words.split()
}
CHINESE_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CHINESE_SCALES = {"十": 10.0, "百": 100.0, "千": 1e3, "万": 1e4, "亿": 1e8}

# What is measured, and how much of the base unit each word stands for.
MEASURES: dict[str, tuple[str, float]] = {
    word: (dimension, factor)
    for dimension, factor, words in (
        ("%", 1, "% percent 个百分点"),
        ("$", 1, "$ dollar dollars usd 美元 美金"),
        ("€", 1, "€ euro euros eur 欧元"),
        ("£", 1, "£ pound pounds gbp 英镑"),
        ("¥", 1, "¥ yuan rmb cny 元 块 块钱 人民币 元人民币"),
        ("time", 0.001, "ms millisecond milliseconds 毫秒"),
        ("time", 1, "s sec secs second seconds 秒 秒钟"),
        ("time", 60, "min mins minute minutes 分钟"),
        ("time", 3600, "h hr hrs hour hours 小时 个小时 钟头"),
        ("time", 86400, "day days 天"),
        ("time", 604800, "week weeks 周 个星期 星期"),
        ("time", 2629800, "month months 个月"),
        ("time", 31557600, "year years 年"),
        ("size", 1, "byte bytes 字节"),
        ("size", 1e3, "kb kib kilobyte kilobytes"),
        ("size", 1e6, "mb mib megabyte megabytes 兆字节"),
        ("size", 1e9, "gb gib gigabyte gigabytes"),
        ("size", 1e12, "tb tib terabyte terabytes"),
        ("length", 0.001, "mm 毫米"),
        ("length", 0.01, "cm 厘米"),
        ("length", 1, "meter meters metre metres 米"),
        ("length", 1000, "km kilometer kilometers kilometre kilometres 公里 千米"),
        ("length", 1609, "mile miles 英里"),
        ("weight", 1, "kg kilogram kilograms kilo kilos 公斤 千克"),
        ("weight", 1000, "ton tons tonne tonnes 吨"),
        ("°", 1, "° degree degrees 度 摄氏度"),
    )
    for word in words.split()
}
CLASSIFIERS = "个位名人家次种件条台只张本辆间座项套份篇层栋批组队门场支部轮期届票倍口棵颗把块片步"

LABELS = frozenset(
    "phase step version chapter section page item option team group room level part figure table server service "
    "node agent "
    "case example line task number no model episode season grade class type day week round stage plan appendix "
    "question "
    "scenario sprint iteration milestone release module unit batch test user client player candidate column row "
    "building "
    "flight route gate slide article clause ticket issue bug pr commit channel lane track zone region floor "
    "experiment "
    "point wave series volume area district highway bus exit apartment suite formula set windows python".split()
)
