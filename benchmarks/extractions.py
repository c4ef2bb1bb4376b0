"""How often Extract without a model reads what a person would read, refuses, or reads something else.

    python benchmarks/extractions.py [--tell] [--only WORDS]

Every case is a page, a schema and the right answer, which may be a refusal. The pages are templates and grids
of the npm registry, whole applications, and our own pages. `exact` counts right answers, `refused` those
that say less than the page does, `wrong` those with a value that is not the right one. The list was written
before the code was changed to pass it, and rules are tuned on other pages; `--tell` prints the others.
"""

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, cast

from extraction_pages.case import REFUSED, Case
from extraction_pages.own import OWN
from extraction_pages.serving import Pages, served
from extraction_pages.third_party import APPLICATIONS, PACKAGES, TEMPLATES

from measuring import running
from measuring.report import Figure, publish
from measuring.running import Client

_PATIENCE_MS = 2500


def main() -> None:
    """Run every case; print how many were exact, refused and wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tell", action="store_true", help="print every case that is not exact")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    options = parser.parse_args()
    applications = {case.page.partition(":")[0] for case in APPLICATIONS}
    cases = [case for case in (*TEMPLATES, *APPLICATIONS, *OWN) if options.only in case.name]
    counts: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(PACKAGES, applications, Path(folder)) as pages,
        running.running() as service,
    ):
        client = service.client()
        for case in cases:
            verdict, output = judge(case, run(client, pages, case)) if pages.has(case) else ("absent", None)
            counts[verdict] += 1
            if options.tell and verdict != "exact":
                print(f"{verdict:8} {case.name}\n         {json.dumps(output)[:400]}")
    report(counts)


def run(client: Client, pages: Pages, case: Case) -> Any:
    """The output of the block; REFUSED if it fails."""
    extract = {
        "type": "Extract",
        "blockReferenceId": "read",
        "data": {"schema": case.schema, "prompt": case.prompt, "timeoutMs": _PATIENCE_MS},
        **({"locator": case.locator} if case.locator else {}),
    }
    workflow = client.create(case.name[:80], [*pages.blocks(case), extract])
    client.reconnect()
    ended = client.post("/workflows/executeSync", {"workflowId": workflow})["execution"]
    if ended["status"] == "Completed":
        return ended["response"]["read"]
    if "`Extract`" not in ended["errorAnalysis"] and ended["failure"]["blockReferenceId"] != "read":
        raise RuntimeError(f"{case.name} was not reached: {ended['errorAnalysis']}")
    return REFUSED


def judge(case: Case, output: Any) -> tuple[str, Any]:
    """`exact`, `refused` or `wrong`, and what was read."""
    if output is REFUSED:
        return ("exact" if case.expected is REFUSED else "refused"), None
    if case.expected is REFUSED:
        return "wrong", output
    if case.count is not None and len(output) != case.count:
        return "wrong", output
    read = output[: len(case.expected)] if case.count is not None else output
    if _same(_filled(read), case.expected):
        return "exact", output
    return ("refused" if _says_less(_filled(read), case.expected) else "wrong"), output


def report(counts: Counter[str]) -> None:
    """Print the counts and keep them."""
    total = max(sum(counts[verdict] for verdict in ("exact", "refused", "wrong")), 1)
    share = {verdict: 100 * counts[verdict] / total for verdict in ("exact", "refused", "wrong")}
    publish(
        "extractions",
        f"Extraction without a model, {total} cases",
        [
            Figure("exact", share["exact"], "%", at_least=82),
            Figure("refused although the page says it", share["refused"], "%"),
            Figure("wrong", share["wrong"], "%", at_most=0),
        ],
        counts=dict(counts),
    )
    if counts["absent"]:
        print(f"{counts['absent']} cases skipped: their pages need npm")


def _filled(value: Any) -> Any:
    """The value without nulls."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value).items()
        return {name: _filled(entry) for name, entry in entries if entry is not None}
    return [_filled(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _same(read: Any, right: Any) -> bool:
    """Equal, with `true` and 1 as different values."""
    return read == right and json.dumps(read).count("true") == json.dumps(right).count("true")


def _says_less(read: Any, right: Any) -> bool:
    """Whether everything read is right, but something is missing."""
    if isinstance(read, dict) and isinstance(right, dict):
        there, wanted = cast("dict[str, Any]", read), cast("dict[str, Any]", right)
        return all(name in wanted and _says_less(value, wanted[name]) for name, value in there.items())
    if isinstance(read, list) and isinstance(right, list):
        some, all_ = cast("list[Any]", read), cast("list[Any]", right)
        return len(some) == len(all_) and all(map(_says_less, some, all_))
    return _same(read, right)


if __name__ == "__main__":
    main()
