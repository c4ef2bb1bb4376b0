"""How many elements are found again on front ends that their own authors changed over years.

The pages are third-party templates and dashboards at two of their major versions, from the npm registry;
`healing_pages/front_ends.py` says which half everything is built on, and which is only measured (`--unseen`).
Two elements count as the same if they share something that no other element has: the name, where
a link leads, an id, a placeholder, a field's name; where these contradict each other the element is left out.
Between two such elements, two that share a part of one of these with each other alone are the same as well:
these are the changed ones. No weight, rule or threshold of the healer has a part in that.
Each is looked for in the new version by its memory alone, once as it is and once after it was removed.
"""

import argparse
import functools
import http.server
import itertools
import random
import shutil
import subprocess
import tarfile
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healing_pages.front_ends import BUILDING, UNSEEN, FrontEnd
from msgspec import convert
from playwright.sync_api import Page, Route, sync_playwright

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.healing import Thresholds
from pagehand.browser.healing.decide import RIVALS, WEIGHTS, FrameRanking, decide
from pagehand.browser.healing.stable_locator import program
from pagehand.records import Fingerprint

HERE = Path(__file__).parent
CACHE = HERE / "results" / "front_ends"
_SIGNS = ("name", "address", "id", "placeholder", "field")
# what many names, classes and addresses have in common says nothing
_EMPTY_WORDS = {
    *("and", "for", "the", "with", "your", "our", "here", "click", "read", "fas", "far", "svg", "icon"),
    *("icons", "btn", "button", "link", "index", "html", "input", "page"),
}
_MOST_BETWEEN = 12
_DRAWING_MS = 1500
_PROGRAM = (HERE / "healing_pages" / "versions.js").read_text(encoding="utf-8")


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
            addresses = tuple(stack.enter_context(_served(folder)) for folder in _folders(site))
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
    before: list[dict[str, Any]] = old.evaluate(_task("inventory"))
    after: list[dict[str, Any]] = new.evaluate(_task("inventory"))
    same = _same(before, after)
    changed = _changed(before, after, same)
    title = f"{site.package} {site.versions[0]} {addresses[0].split('/', 3)[3]}"
    choice = random.Random(title)
    # all that changed much, and some of the others; what every page has, such as a menu, is tried once
    sampled = choice.sample(sorted(same), min(targets, len(same)))
    truth = {**same, **changed}
    known = {at: f"{before[at]} {after[truth[at]]}" for at in {*changed, *sampled}}
    chosen = sorted(at for at, selector in known.items() if selector not in tried)
    tried |= {*known.values()}
    asked = {"weights": WEIGHTS, "most": RIVALS}
    memories = {at: old.evaluate(_task("fingerprintAt"), {**asked, "at": at}) for at in chosen}
    for at in chosen:
        detail = f"{before[at]['detail']} -> {after[truth[at]]['detail']}"
        options = {"wanted": memories[at], "weights": WEIGHTS, "truth": truth[at]}
        for is_gone in (False, True):
            answer = new.evaluate(_task("lookFor"), {**options, "isGone": is_gone})
            outcome, told = _judge(memories[at], answer)
            yield Trial(title, is_gone, at in changed, outcome, f"{detail}: {told}")


def _judge(wanted: dict[str, Any], answer: dict[str, Any]) -> tuple[str, str]:
    decision = decide(
        convert(wanted, Fingerprint), [convert(answer["report"], FrameRanking)], Thresholds(), is_commit=False
    )
    outcome = "refused" if decision.frame < 0 else "right" if answer["isRight"] else "wrong"
    return outcome, f"{decision.reason} {decision.facts}"


def _same(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[int, int]:
    """Which control of the old page is which of the new: every sign that speaks must say the same."""
    votes: dict[int, set[int]] = {}
    for sign in _SIGNS:
        old, new = _unique(before, sign), _unique(after, sign)
        for value in old.keys() & new.keys():
            if before[old[value]]["kind"] == after[new[value]]["kind"]:
                votes.setdefault(old[value], set()).add(new[value])
    agreed = {at: next(iter(found)) for at, found in votes.items() if len(found) == 1}
    claimed = Counter(agreed.values())
    return {at: found for at, found in agreed.items() if claimed[found] == 1}


def _unique(controls: list[dict[str, Any]], sign: str) -> dict[str, int]:
    counts = Counter(control[sign] for control in controls)
    return {
        control[sign]: at
        for at, control in enumerate(controls)
        if control[sign] and counts[control[sign]] == 1
    }


def _changed(
    before: list[dict[str, Any]], after: list[dict[str, Any]], same: dict[int, int]
) -> dict[int, int]:
    """Those between two elements that are the same, which share a word with each other and no other there."""
    found: dict[int, int] = {}
    borders = [(-1, -1), *sorted(same.items()), (len(before), len(after))]
    taken = set(same.values())
    for (old, new), (next_old, next_new) in itertools.pairwise(borders):
        theirs = [at for at in range(new + 1, next_new) if at not in taken]
        mine = range(old + 1, next_old)
        if not 0 < len(mine) <= _MOST_BETWEEN or not 0 < len(theirs) <= _MOST_BETWEEN:
            continue
        pairs = [(old, other) for old in mine for other in theirs if _is_akin(before[old], after[other])]
        ones, others = (Counter(pair[side] for pair in pairs) for side in (0, 1))
        found |= {old: other for old, other in pairs if ones[old] == others[other] == 1}
    return found


def _is_akin(old: dict[str, Any], other: dict[str, Any]) -> bool:
    shared = {*old["parts"]} & {*other["parts"]} - _EMPTY_WORDS
    return old["kind"] == other["kind"] and bool(shared)


def _task(name: str) -> str:
    task = program(name).replace(f"return {name};", f"{_PROGRAM}\nreturn {name};")
    return f"(options) => {task}(options)"


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


def _folders(site: FrontEnd) -> Iterator[Path]:
    """The folder that is served, of each of the versions."""
    packages = (site.package, site.newer_package or site.package)
    for at, (package, version) in enumerate(zip(packages, site.versions, strict=True)):
        folder = _folder(package, version) / (site.old, site.new)[at]
        if site.editors:
            (folder / "editor.html").write_text(f"<!doctype html>{site.editors[at]}", encoding="utf-8")
        yield folder


def _folder(package: str, version: str) -> Path:
    """The package, unpacked once."""
    folder = CACHE / f"{package}@{version}"
    if not folder.is_dir():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("This benchmark installs third-party pages with npm, which is not there.")
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", f"{package}@{version}", "--silent", "--pack-destination", str(CACHE)]
        packed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]  # noqa: S603 - names from the list above
        with tarfile.open(CACHE / packed) as archive:
            archive.extractall(folder, filter="data")
        (CACHE / packed).unlink()
    return folder / "package"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and keeps no log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Generator[str]:
    """A server with the folder at its root."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


if __name__ == "__main__":
    main()
