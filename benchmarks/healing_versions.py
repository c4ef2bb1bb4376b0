"""How many elements are found again on front ends that their own authors changed over years.

The pages are third-party templates and dashboards at two of their major versions, from the npm registry.
Two elements count as the same if they share something that no other element has: the name, where
a link leads, an id, a placeholder, a field's name; where these contradict each other the element is left out.
Each is looked for in the new version by its memory alone, once as it is and once after it was removed.
"""

import argparse
import functools
import http.server
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
_PROGRAM = (HERE / "healing_pages" / "versions.js").read_text(encoding="utf-8")
_ADMIN = ("login", "register", "index", "charts", "tables")
_LTE = (
    *("index", "index2", "starter", "pages/widgets", "pages/calendar"),
    *(f"pages/tables/{name}" for name in ("simple", "data")),
    *(f"pages/forms/{name}" for name in ("general", "advanced")),
    *(f"pages/mailbox/{name}" for name in ("mailbox", "compose")),
    *(f"pages/examples/{name}" for name in ("login", "register", "profile", "invoice")),
    *(f"pages/UI/{name}" for name in ("general", "buttons")),
)
_GENTELELLA = (
    *("index", "form", "form_validation", "inbox", "profile", "general_elements"),
    *("login", "tables", "widgets", "projects", "contacts", "e_commerce"),
)


@dataclass(slots=True, frozen=True)
class Site:
    """A front end at two versions; `old` and `new` are folders in its packages."""

    package: str
    versions: tuple[str, str]
    pages: tuple[str, ...] = ("index",)
    old: str = ""
    new: str = "dist"


SITES = (
    *(
        Site(f"startbootstrap-{name}", versions)
        for name, versions in (
            ("agency", ("4.1.1", "7.0.12")),
            ("creative", ("4.1.1", "7.0.7")),
            ("freelancer", ("4.1.1", "7.0.7")),
            ("grayscale", ("4.1.1", "7.0.6")),
            ("landing-page", ("4.1.1", "6.0.6")),
            ("resume", ("4.1.1", "7.0.6")),
            ("new-age", ("4.1.1", "6.0.7")),
            ("stylish-portfolio", ("4.1.1", "6.0.6")),
        )
    ),
    Site("startbootstrap-shop-homepage", ("4.3.0", "5.0.6"), old="dist"),
    Site("startbootstrap-clean-blog", ("4.1.1", "6.0.9"), ("about", "contact", "index", "post")),
    Site(
        "startbootstrap-modern-business",
        ("4.2.3", "5.0.7"),
        ("about", "contact", "index", "faq", "pricing", "blog-post"),
    ),
    Site("startbootstrap-sb-admin", ("4.0.0", "5.1.1"), _ADMIN, new=""),
    Site("startbootstrap-sb-admin", ("5.1.1", "7.0.7"), _ADMIN),
    Site("startbootstrap-sb-admin-2", ("3.3.7", "4.1.4"), ("index", "login", "blank", "tables"), "pages", ""),
    Site("admin-lte", ("2.4.18", "3.2.0"), _LTE, new=""),
    Site("gentelella", ("1.4.0", "2.1.0"), _GENTELELLA, "production", "production"),
    Site(
        "material-dashboard",
        ("2.1.0", "3.1.0"),
        ("dashboard", "tables", "notifications"),
        "examples",
        "pages",
    ),
)


@dataclass(slots=True, frozen=True)
class Trial:
    """What came of looking for one element."""

    site: str
    is_gone: bool
    outcome: str
    """right, wrong or refused."""
    detail: str


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=8, help="elements of each page")
    parser.add_argument("--tell", action="store_true", help="print every refusal and mistake")
    options = parser.parse_args()
    trials: list[Trial] = []
    with ExitStack() as stack:
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=running.browser_path(), args=["--no-sandbox"]
        )
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.route("**/*", _only_documents_and_styles)
        pages = (context.new_page(), context.new_page())
        for site in SITES:
            roots = tuple(_folder(site.package, version) for version in site.versions)
            addresses = tuple(
                stack.enter_context(_served(root / inside))
                for root, inside in zip(roots, (site.old, site.new), strict=True)
            )
            for name in site.pages:
                trials += _trials(site, name, pages, addresses, options.targets)
        browser.close()
    for trial in trials:
        if options.tell and trial.outcome != ("refused" if trial.is_gone else "right"):
            when = " after it was removed" if trial.is_gone else ""
            print(f"{trial.outcome}{when}: {trial.site}: {trial.detail}")
    report(trials)


def report(trials: list[Trial]) -> None:
    """Print and keep the figures."""
    lived = Counter(trial.outcome for trial in trials if not trial.is_gone)
    gone = Counter(trial.outcome for trial in trials if trial.is_gone)
    publish(
        "healing_versions",
        f"Elements of {len(SITES)} third-party front ends, two major versions apart",
        [
            Figure("looked for", lived.total(), ""),
            Figure("found again", _percent(lived, "right"), "%", at_least=92),
            Figure("wrongly found", _percent(lived, "wrong"), "%", at_most=0.5),
            Figure("refused though there", _percent(lived, "refused"), "%"),
            Figure("clicked though removed", _percent(gone, "wrong"), "%", at_most=1.5),
        ],
    )


def _percent(counts: Counter[str], name: str) -> float:
    return round(100 * counts[name] / max(1, counts.total()), 2)


def _trials(
    site: Site, name: str, pages: tuple[Page, Page], addresses: tuple[str, ...], targets: int
) -> Iterator[Trial]:
    old, new = pages
    old.goto(f"{addresses[0]}/{name}.html", wait_until="domcontentloaded")
    new.goto(f"{addresses[1]}/{name}.html", wait_until="domcontentloaded")
    before: list[dict[str, str]] = old.evaluate(_task("inventory"))
    same = _same(before, new.evaluate(_task("inventory")))
    title = f"{site.package} {site.versions[0]} {name}"
    chosen = sorted(random.Random(title).sample(sorted(same), min(targets, len(same))))
    asked = {"weights": WEIGHTS, "most": RIVALS}
    memories = {at: old.evaluate(_task("fingerprintAt"), {**asked, "at": at}) for at in chosen}
    for is_gone in (False, True):
        for at in chosen:
            if is_gone:
                new.goto(f"{addresses[1]}/{name}.html", wait_until="domcontentloaded")
            options = {"wanted": memories[at], "weights": WEIGHTS, "truth": same[at], "isGone": is_gone}
            answer = new.evaluate(_task("lookFor"), options)
            yield _judge(title, before[at]["detail"], memories[at], answer, is_gone=is_gone)


def _judge(
    title: str, detail: str, wanted: dict[str, Any], answer: dict[str, Any], *, is_gone: bool
) -> Trial:
    decision = decide(
        convert(wanted, Fingerprint), [convert(answer["report"], FrameRanking)], Thresholds(), is_commit=False
    )
    outcome = "refused" if decision.frame < 0 else "right" if answer["isRight"] else "wrong"
    return Trial(title, is_gone, outcome, f"{detail}: {decision.reason} {decision.facts}")


def _same(before: list[dict[str, str]], after: list[dict[str, str]]) -> dict[int, int]:
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


def _unique(controls: list[dict[str, str]], sign: str) -> dict[str, int]:
    counts = Counter(control[sign] for control in controls)
    return {
        control[sign]: at
        for at, control in enumerate(controls)
        if control[sign] and counts[control[sign]] == 1
    }


def _task(name: str) -> str:
    task = program(name).replace(f"return {name};", f"{_PROGRAM}\nreturn {name};")
    return f"(options) => {task}(options)"


def _only_documents_and_styles(route: Route) -> None:
    """Nothing from elsewhere is fetched, and no script of the page runs."""
    request = route.request
    is_ours = request.url.startswith("http://127.0.0.1:")
    if is_ours and request.resource_type in ("document", "stylesheet"):
        route.continue_()
    else:
        route.abort()


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
