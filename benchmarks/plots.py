"""Draw lines over an axis as SVG, by hand: small, the same every time, legible on white and on black."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.report import Curve

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50
# Told apart by people who do not see all colours, and on both backgrounds; ours is the first.
COLOURS = ("#d9480f", "#1c7ed6", "#2f9e44", "#9c36b5", "#868e96", "#c2a008", "#0c8599", "#e64980")
STYLE = """text { font: 12px system-ui, sans-serif; fill: #495057 } .title { font-size: 14px; font-weight: 600 }
.grid { stroke: #adb5bd; stroke-opacity: .4 } .line { fill: none; stroke-width: 2 } .ours { stroke-width: 3.5 }
@media (prefers-color-scheme: dark) { text { fill: #ced4da } }"""

Scale = Callable[[float], float]


def draw(curve: Curve, path: Path) -> None:
    """Write a plot of a curve's lines, with both axes by powers of ten where it says so."""
    path.write_text(svg(curve), "utf-8")


def svg(curve: Curve) -> str:
    """Return a plot as SVG."""
    xs, ys = zip(*(point for line in curve.lines.values() for point in line), strict=True)
    marks_x = sorted(set(xs))
    marks_y = decades(min(ys), max(ys)) if curve.log else steps(max(ys))
    x = _scale(marks_x[0], marks_x[-1], LEFT, WIDTH - RIGHT, log=curve.log)
    y = _scale(marks_y[0], marks_y[-1], HEIGHT - BOTTOM, TOP, log=curve.log)
    parts = [_text(LEFT, 22, curve.title, "title"), *_axes(curve, marks_x, marks_y, x, y), *_lines(curve, x, y)]
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(curve.title, {chr(34): "&quot;"})}"'
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n<style>{STYLE}</style>\n{body}\n</svg>\n'


def steps(most: float) -> list[float]:
    """Return about five round numbers from 0 up to one that is not below the largest."""
    rough = most / 5 or 1.0
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    return [round(step * number, 10) for number in range(ceil(most / step - 1e-9) + 1)] or [0.0, step]


def decades(least: float, most: float) -> list[float]:
    """Return the powers of ten around figures above 0."""
    first, last = floor(log10(least)), ceil(log10(most))
    return [10.0**power for power in range(first, max(last, first + 1) + 1)]


def _scale(low: float, high: float, start: float, end: float, *, log: bool) -> Scale:
    at: Scale = log10 if log else float
    width = (at(high) - at(low)) or 1.0
    return lambda value: start + (at(value) - at(low)) / width * (end - start)


def _axes(curve: Curve, marks_x: Sequence[float], marks_y: Sequence[float], x: Scale, y: Scale) -> Iterable[str]:
    for mark in marks_y:
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>'
        yield _text(LEFT - 8, y(mark) + 4, f"{mark:,.10g}", anchor="end")
    for mark in marks_x:
        yield _text(x(mark), HEIGHT - BOTTOM + 18, f"{mark:,.10g}", anchor="middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, curve.x, anchor="middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield f'<text transform="translate(16 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(curve.y)}</text>'


def _lines(curve: Curve, x: Scale, y: Scale) -> Iterable[str]:
    """Draw ours in the first colour and on top, and name each line beside a sample of it."""
    ours_first = sorted(curve.lines, key=lambda name: not name.startswith("memsieve"))
    for number, name in reversed(list(enumerate(ours_first))):
        colour = COLOURS[number % len(COLOURS)]
        kind = "line ours" if name.startswith("memsieve") else "line"
        points = " ".join(f"{x(one):.1f},{y(other):.1f}" for one, other in curve.lines[name])
        yield f'<polyline class="{kind}" stroke="{colour}" points="{points}"/>'
        for one, other in curve.lines[name]:
            yield f'<circle cx="{x(one):.1f}" cy="{y(other):.1f}" r="3" fill="{colour}"/>'
        height, start = TOP + 10 + 20 * number, WIDTH - RIGHT + 16
        yield f'<line class="{kind}" stroke="{colour}" x1="{start}" x2="{start + 22}" y1="{height}" y2="{height}"/>'
        yield _text(start + 30, height + 4, name)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
