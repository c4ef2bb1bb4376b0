"""How many elements are found again on front ends that their own authors changed over years.

The pages are third-party templates and dashboards at two of their major versions, from the npm registry;
`healing_pages/front_ends.py` says which half everything is built on, and which is only measured (`--unseen`).
`healing_pages/releases.py` says which elements count as the same.
Each is looked for in the new version by its memory alone, once as it is and once after it was removed.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from healing_pages.front_ends import BUILDING, UNSEEN, FrontEnd
from healing_pages.releases import changed_controls, folders_of, in_page, same_controls, served
from msgspec import convert
from playwright.sync_api import Page, Route, sync_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.healing import Thresholds
from pagehand.browser.healing.decide import RIVALS, WEIGHTS, FrameRanking, decide
from pagehand.records import Fingerprint

_DRAWING_MS = 1500


@dataclass(slots=True, frozen=True)
class Trial:
    """What came of looking for one element."""

    site: str
    is_gone: bool
    is_changed: bool
    """Whether its name, its address and its other signs all changed, none of them wholly."""
    outcome: str
    """right, wrong or refused."""
    detail: str


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=8, help="elements of each page")
    parser.add_argument("--unseen", action="store_true", help="the half that nothing is built on")
    parser.add_argument(
        "--tell", action="store_true", help="print every refusal and mistake on the other half"
    )
    options = parser.parse_args()
    sites = UNSEEN if options.unseen else BUILDING
    trials: list[Trial] = []
    with ExitStack() as stack:
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=running.browser_path(), args=["--no-sandbox"]
        )
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.route("**/*", _only_documents_and_styles)
        pages = (context.new_page(), context.new_page())
        for site in sites:
            addresses = tuple(stack.enter_context(served(folder)) for folder in folders_of(site))
            tried: set[str] = set()
            for name in site.pages:
                names = (name, name) if isinstance(name, str) else name
                there = [f"{at}/{it}.html" for at, it in zip(addresses, names, strict=True)]
                trials += _trials(site, pages, there, tried, options.targets)
        browser.close()
    for trial in trials:
        if options.tell and not options.unseen and trial.outcome != ("refused" if trial.is_gone else "right"):
            when = " after it was removed" if trial.is_gone else ""
            how = " (changed)" if trial.is_changed else ""
            print(f"{trial.outcome}{when}{how}: {trial.site}: {trial.detail}")
    report(trials, len(sites), "unseen" if options.unseen else "building")


def report(trials: list[Trial], sites: int, half: str) -> None:
    """Print and keep the figures."""
    lived = Counter(trial.outcome for trial in trials if not trial.is_gone)
    changed = Counter(trial.outcome for trial in trials if not trial.is_gone and trial.is_changed)
    gone = Counter(trial.outcome for trial in trials if trial.is_gone)
    publish(
        f"healing_versions_{half}",
        f"Elements of {sites} third-party front ends, two major versions apart ({half} half)",
        [
            Figure("looked for", lived.total(), ""),
            Figure("found again", _percent(lived, "right"), "%", at_least=80),
            Figure("wrongly found", _percent(lived, "wrong"), "%", at_most=0.5),
            Figure("refused though there", _percent(lived, "refused"), "%"),
            Figure("all signs changed, looked for", changed.total(), ""),
            Figure("all signs changed, found again", _percent(changed, "right"), "%"),
            Figure("clicked though removed", _percent(gone, "wrong"), "%", at_most=1.5),
        ],
    )


def _percent(counts: Counter[str], name: str) -> float:
    return round(100 * counts[name] / max(1, counts.total()), 2)


def _trials(
    site: FrontEnd, pages: tuple[Page, Page], addresses: list[str], tried: set[str], targets: int
) -> Iterator[Trial]:
    for page, address in zip(pages, addresses, strict=True):
        answer = page.goto(address, wait_until="load" if site.editors else "domcontentloaded")
        if answer is None or not answer.ok:
            raise SystemExit(f"{site.package} has no {address}.")
        if site.editors:
            page.wait_for_timeout(_DRAWING_MS)
    old, new = pages
    before: list[dict[str, Any]] = old.evaluate(in_page("inventory"))
    after: list[dict[str, Any]] = new.evaluate(in_page("inventory"))
    same = same_controls(before, after)
    changed = changed_controls(before, after, same)
    title = f"{site.package} {site.versions[0]} {addresses[0].split('/', 3)[3]}"
    choice = random.Random(title)
    # all that changed much, and some of the others; what every page has, such as a menu, is tried once
    sampled = choice.sample(sorted(same), min(targets, len(same)))
    truth = {**same, **changed}
    known = {at: f"{before[at]} {after[truth[at]]}" for at in {*changed, *sampled}}
    chosen = sorted(at for at, selector in known.items() if selector not in tried)
    tried |= {*known.values()}
    asked = {"weights": WEIGHTS, "most": RIVALS}
    memories = {at: old.evaluate(in_page("fingerprintAt"), {**asked, "at": at}) for at in chosen}
    for at in chosen:
        detail = f"{before[at]['detail']} -> {after[truth[at]]['detail']}"
        options = {"wanted": memories[at], "weights": WEIGHTS, "truth": truth[at]}
        for is_gone in (False, True):
            answer = new.evaluate(in_page("lookFor"), {**options, "isGone": is_gone})
            outcome, told = _judge(memories[at], answer)
            yield Trial(title, is_gone, at in changed, outcome, f"{detail}: {told}")


def _judge(wanted: dict[str, Any], answer: dict[str, Any]) -> tuple[str, str]:
    decision = decide(
        convert(wanted, Fingerprint), [convert(answer["report"], FrameRanking)], Thresholds(), is_commit=False
    )
    outcome = "refused" if decision.frame < 0 else "right" if answer["isRight"] else "wrong"
    return outcome, f"{decision.reason} {decision.facts}"


def _only_documents_and_styles(route: Route) -> None:
    """Nothing from elsewhere is fetched, and no script of a page runs but that which draws a toolbar."""
    request = route.request
    is_ours = request.url.startswith("http://127.0.0.1:")
    needed = (
        ("document", "stylesheet", "script")
        if request.frame.url.endswith("/editor.html")
        else ("document", "stylesheet")
    )
    if is_ours and request.resource_type in needed:
        route.continue_()
    else:
        route.abort()


if __name__ == "__main__":
    main()
