"""Charts as SVG: bars with their spread, and curves on logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

COLOURS = ("#00796b", "#4db6ac", "#3f51b5", "#9fa8da", "#c2571a", "#ffab73", "#6d6d6d")
_WIDTH, _BAR, _LABELS = 760, 20, 250
_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 90, 50, 400, 300


@dataclass(slots=True, frozen=True)
class Bar:
    """One bar: the value and, as a thin line, from where to where it was seen."""

    label: str
    value: float
    low: float
    high: float


def draw_bars(path: Path, title: str, unit: str, groups: Mapping[str, Sequence[Bar]]) -> None:
    """Groups of horizontal bars, each group with a scale of its own."""
    parts: list[str] = [_text(16, 28, title, size=17, weight="bold")]
    top = 50.0
    for name, bars in groups.items():
        parts.append(_text(16, top + 16, name, size=14, weight="bold"))
        top += 26
        scale = (_WIDTH - _LABELS - 130) / max(bar.high for bar in bars)
        for colour, bar in zip(COLOURS, bars, strict=False):
            middle = top + _BAR / 2
            parts.append(_text(_LABELS - 8, middle + 4, bar.label, anchor="end"))
            parts.append(
                f'<rect x="{_LABELS}" y="{top}" width="{bar.value * scale:.1f}" height="{_BAR}" '
                f'fill="{colour}"/>'
            )
            low, high = _LABELS + bar.low * scale, _LABELS + bar.high * scale
            parts.append(_line((low, middle), (high, middle), "#222"))
            parts.append(_text(high + 8, middle + 4, f"{bar.value:,.0f} {unit}"))
            top += _BAR + 6
        top += 14
    _write(path, _WIDTH, top, title, parts)


def draw_curves(
    path: Path, title: str, axes: tuple[str, str], curves: Mapping[str, Mapping[int, float]]
) -> None:
    """Curves on logarithmic axes, where a straight line at 45 degrees is growth in proportion."""
    sizes = [size for curve in curves.values() for size in curve]
    values = [max(value, 0.001) for curve in curves.values() for value in curve.values()]
    wide, high = _decades(sizes), _decades(values)

    def place(size: float, value: float) -> tuple[float, float]:
        across = (math.log10(size) - wide[0]) / (wide[-1] - wide[0])
        up = (math.log10(max(value, 0.001)) - high[0]) / (high[-1] - high[0])
        return _LEFT + across * _PLOT_WIDTH, _TOP + (1 - up) * _PLOT_HEIGHT

    bottom = _TOP + _PLOT_HEIGHT
    parts: list[str] = [_text(16, 28, title, size=17, weight="bold")]
    for decade in wide:
        x, _ = place(10.0**decade, 10.0 ** high[0])
        parts += [
            _line((x, _TOP), (x, bottom), "#ddd"),
            _text(x, bottom + 18, _power(decade), anchor="middle"),
        ]
    for decade in high:
        _, y = place(10.0 ** wide[0], 10.0**decade)
        parts.append(_line((_LEFT, y), (_LEFT + _PLOT_WIDTH, y), "#ddd"))
        parts.append(_text(_LEFT - 8, y + 4, _power(decade), anchor="end"))
    parts.append(_text(_LEFT + _PLOT_WIDTH / 2, bottom + 40, axes[0], anchor="middle"))
    parts.append(_text(_LEFT, _TOP - 12, axes[1], anchor="end"))
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [place(size, value) for size, value in sorted(curve.items())]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        y = _TOP + 14 + 22 * number
        parts.append(
            f'<rect x="{_LEFT + _PLOT_WIDTH + 16}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
        )
        parts.append(_text(_LEFT + _PLOT_WIDTH + 34, y, name))
    _write(path, _WIDTH, bottom + 56, title, parts)


def _decades(values: Sequence[float]) -> range:
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return range(first, max(last, first + 1) + 1)


def _power(decade: int) -> str:
    return f"{10.0**decade:,.0f}" if decade >= 0 else f"{10.0**decade:g}"


def _text(
    x: float, y: float, words: str, *, size: int = 13, anchor: str = "start", weight: str = "normal"
) -> str:
    style = f'font-size="{size}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(words)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _write(path: Path, width: float, height: float, title: str, parts: Sequence[str]) -> None:
    # without a style sheet, which the guide's content security policy forbids; white, also on a dark page
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" fill="#222" '
        f'role="img"><title>{escape(title)}</title>'
    )
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, paper, *parts, "</svg>"]) + "\n")
