"""Figures beside what is asked of them: a table to read and a file to keep."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TIMES = "×"  # noqa: RUF001 - no letter x: it stands for a ratio
_RESULTS = Path(__file__).parent.parent / "results"


@dataclass(slots=True, frozen=True)
class Figure:
    """One figure; `at_most` or `at_least` is what numbers are asked to be, neither for those that explain."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def is_met(self) -> bool | None:
        """None when nothing is asked."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least

    @property
    def wanted(self) -> str:
        """As people write it."""
        if self.at_most is not None:
            return f"≤ {self.at_most:g}"
        return "" if self.at_least is None else f"≥ {self.at_least:g}"


def publish(name: str, title: str, figures: Sequence[Figure], **details: Any) -> None:
    """Print the table and write `results/<name>.json`."""
    print(f"\n{title}")
    for figure in figures:
        verdict = {None: "", True: "met", False: "NOT MET"}[figure.is_met]
        value = f"{figure.value:,.2f}" if figure.value < 1000 else f"{figure.value:,.0f}"
        print(f"  {figure.name:58} {value:>9} {figure.unit:10} {figure.wanted:>7} {verdict}")
    print(flush=True)
    kept = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "load_average": os.getloadavg()[0],
        "figures": {
            figure.name: {"value": round(figure.value, 4), "unit": figure.unit, "wanted": figure.wanted}
            for figure in figures
        },
        **details,
    }
    _RESULTS.mkdir(exist_ok=True)
    (_RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=2, ensure_ascii=False))
