"""How often an element is found again after its page has changed, how often wrongly, how often not at all.

    python benchmarks/healing.py [--targets 16] [--tuning [--all]]

Every page is shown, an element is remembered, the page is changed in one of many ways and the element is
looked for by its fingerprint alone. `right` and `wrong` count clicks, `refused` those left to a person.
Weights and thresholds are chosen on the tuning pages (`--tuning`); the figures come from held-out pages,
whose single mistakes are never printed. `docs/healing.md` says how often they were measured.
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

from healing_pages.kept_out import KEPT_OUT
from healing_pages.tuning import TUNING
from healing_pages.words import OTHERS
from msgspec import convert
from playwright.sync_api import Page, sync_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.healing import Thresholds
from pagehand.browser.healing.decide import RIVALS, WEIGHTS, FrameRanking, decide
from pagehand.browser.healing.stable_locator import program
from pagehand.records import Fingerprint

SURVIVING = (
    "nothing",
    "ids renamed",
    "classes renamed",
    "wrappers added",
    "siblings inserted",
    "menu grew",
    "own text edited",
    "own text reworded",
    "own text replaced",
    "label moved",
    "rows shifted",
    "rows sorted anew",
    "attributes dropped",
    "addresses moved",
    "surroundings edited",
    "tag swapped",
    "button made a link, or the reverse",
    "section moved",
    "twin added",
    "redesigned",
    "redesigned, text edited",
    "rebuilt over years",
    "rebuilt over years, otherwise",
)
GONE = (
    "removed",
    "removed with its row",
    "removed with its section",
    "other rows now",
    "replaced by another",
    "removed, redesigned",
    "replaced, redesigned",
    "removed, rebuilt over years",
)
YEARS = ("rebuilt over years", "rebuilt over years, otherwise")
# addresses are read against the base; nothing is fetched from it
_HEAD = """<base href="https://site.example/here/page"><meta http-equiv=Content-Security-Policy
content="default-src 'none'; style-src 'unsafe-inline'"><style>body{font:14px sans-serif}li,td{padding:2px}
.grid{display:grid;grid-template-columns:repeat(4,1fr)}</style>"""
_HERE = Path(__file__).parent / "healing_pages"
_CHANGES = "\n".join((_HERE / part).read_text(encoding="utf-8") for part in ("mutate.js", "trial.js"))


@dataclass(slots=True, frozen=True)
class Trial:
    """What came of one change to one page."""

    page: str
    mutation: str
    outcome: str
    """right, wrong or refused."""
    milliseconds: float
    detail: str


def in_page(task: str) -> str:
    """The benchmark's own task beside those of the healer."""
    # one script looks at many pages: what the rules of a page have cached must be forgotten in between
    whole = program(task).replace("const known = new Map();", "const known = new Map(); caches.push(known);")
    whole = f"((caches, forget) => {whole})(...((all) => [all, () => all.forEach((one) => one.clear())])([]))"
    return f"(options) => {whole.replace(f'return {task};', f'{_CHANGES}{chr(10)}return {task};')}(options)"


def trials_of(page: Page, name: str, body: str, targets: int) -> Iterable[Trial]:
    """Every mutation of some of a page's elements."""
    page.set_content(f"<!doctype html><title>{name}</title>{_HEAD}<body></body>")
    arguments: dict[str, Any] = {"body": body, "weights": WEIGHTS, "most": RIVALS, "words": OTHERS}
    count: int = page.evaluate(in_page("countTargets"), arguments)
    chosen = random.Random(zlib.crc32(name.encode())).sample(range(count), min(targets, count))
    for at in chosen:
        changes: list[dict[str, Any]] = [
            {"name": mutation, "isGone": mutation in GONE, "seed": at * 100 + seed}
            for seed, mutation in enumerate((*SURVIVING, *GONE))
        ]
        seen = page.evaluate(in_page("trials"), {**arguments, "at": at, "changes": changes})
        for change, answer in zip(changes, seen["answers"], strict=True):
            if answer is not None:
                yield judge(name, change["name"], seen["wanted"], answer)


def judge(page: str, mutation: str, wanted: dict[str, Any], answer: dict[str, Any]) -> Trial:
    """Decide as the service does, and judge the decision."""
    decision = decide(
        convert(wanted, Fingerprint), [convert(answer["report"], FrameRanking)], Thresholds(), is_commit=False
    )
    outcome = "refused"
    if decision.frame >= 0:
        outcome = "right" if answer["isRight"] else "wrong"
    detail = (
        f"{wanted['role']} `{wanted['name']}` near `{wanted['near'][:40]}` {decision.reason} {decision.facts}"
    )
    return Trial(page, mutation, outcome, answer["ms"], detail)


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
    parser.add_argument("--tuning", action="store_true", help="the pages that weights are chosen on")
    parser.add_argument("--all", action="store_true", help="print every mistake on those")
    options = parser.parse_args()
    trials: list[Trial] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=running.browser_path())
        page = browser.new_page()
        for name, make in (TUNING if options.tuning else KEPT_OUT).items():
            trials += trials_of(page, name, make(), options.targets)
        browser.close()
    if options.all and options.tuning:
        print_mistakes(trials)
    report(trials, is_tuning=options.tuning)


def print_mistakes(trials: list[Trial]) -> None:
    """Print every mistake on the tuning pages."""
    for trial in trials:
        is_mistake = trial.outcome == "wrong" or (trial.outcome == "refused" and trial.mutation in SURVIVING)
        if is_mistake:
            print(f"{trial.outcome}: {trial.page}: {trial.mutation}: {trial.detail}")


def report(trials: list[Trial], *, is_tuning: bool) -> None:
    """Print every mutation, then publish the figures."""
    table = per_mutation(trials)
    print(f"\n{'change':36} {'right %':>8} {'wrong %':>8} {'refused %':>10} {'trials':>7}")
    for mutation, row in table.items():
        counted = f"{row['right']:8.1f} {row['wrong']:8.1f} {row['refused']:10.1f} {row['trials']:7}"
        print(f"{mutation:36} {counted}")
    surviving = shares([trial for trial in trials if trial.mutation in SURVIVING])
    years = shares([trial for trial in trials if trial.mutation in YEARS])
    gone = shares([trial for trial in trials if trial.mutation in GONE])
    spent = statistics.median(trial.milliseconds for trial in trials)
    publish(
        "healing_tuning" if is_tuning else "healing",
        f"Elements found again on changed pages {'to tune on' if is_tuning else 'kept out of tuning'}",
        [
            Figure("found again", surviving["right"], "%", at_least=85),
            Figure("wrongly found", surviving["wrong"], "%", at_most=0.5),
            Figure("refused though there", surviving["refused"], "%"),
            Figure("found again on pages rebuilt over years", years["right"], "%"),
            Figure("wrongly found on pages rebuilt over years", years["wrong"], "%"),
            Figure("clicked though removed", gone["wrong"], "%", at_most=1.5),
            Figure("ranking all candidates in the page, p50", spent, "ms"),
        ],
        mutations=table,
    )


def per_mutation(trials: list[Trial]) -> dict[str, dict[str, float]]:
    """The shares for each kind of change."""
    return {
        mutation: shares([trial for trial in trials if trial.mutation == mutation])
        for mutation in (*SURVIVING, *GONE)
    }


if __name__ == "__main__":
    main()
