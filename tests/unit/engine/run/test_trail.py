"""How far a look may follow an earlier run."""

from collections.abc import Collection
from typing import Any

import pytest

from pagehand.engine.run.trail import Trail, TrailReader
from pagehand.records import Event, Json
from pagehand.workflow.tree import Envelope

HOME, LIST, FORM = "https://x.test/", "https://x.test/list", "https://x.test/new"


def block(reference: str, locator: dict[str, Any] | None = None, **data: Any) -> Envelope:
    return Envelope(reference, reference.title(), reference, "Mouse", data, locator)


def happened(*steps: tuple[str, str]) -> list[Event]:
    """The events of blocks that ran one after the other, each with the address it ended at."""
    found: list[tuple[str, str | None, Json]] = [("execution.started", None, {})]
    for reference, url in steps:
        found += [
            ("block.started", reference, {}),
            ("block.finished", reference, {"url": url} if url else {}),
        ]
    return [
        Event(
            execution_id="exec_1",
            seq=number,
            at=number,
            type=type_,
            message="",
            block_id=reference,
            block_reference_id=reference,
            data=data,
            screenshot_key="picture" if data else None,
        )
        for number, (type_, reference, data) in enumerate(found, 1)
    ]


def read_trail(events: list[Event], blocks: list[Envelope], effects: Collection[str]) -> Trail:
    reader = TrailReader(blocks, effects)
    for event in events:
        reader.read(event)
    return reader.end()


def seen(trail: Trail) -> list[tuple[str, str, str]]:
    return [(sight.envelope.id, sight.url, sight.after) for sight in trail.sights]


def test_each_block_is_seen_on_the_page_where_it_began() -> None:
    blocks = [block("open"), block("list", {"text": "List"}), block("fill", {"css": "#a"}), block("pick")]
    events = happened(("open", HOME), ("list", LIST), ("fill", LIST), ("pick", LIST))
    trail = read_trail(events, blocks, ())
    assert seen(trail) == [("open", "", ""), ("list", HOME, ""), ("fill", LIST, ""), ("pick", LIST, "Fill")]
    assert [sight.is_opened_by_address for sight in trail.sights] == [False, True, False, False]
    assert [sight.picture for sight in trail.sights] == [None, 3, 5, 7]
    assert trail.stop is None
    assert trail.last is not None
    assert trail.last.url == LIST


@pytest.mark.parametrize(
    ("second", "effects"),
    [
        (block("second", {"text": "Go on"}), {"second"}),
        (block("second", {"text": "Go on"}, isCommit=True), ()),
        (block("second", {"text": "Go on"}, isCommit="{{params.sure}}"), ()),
    ],
)
def test_nothing_behind_an_effect_is_seen(second: Envelope, effects: set[str]) -> None:
    events = happened(("first", HOME), ("second", LIST), ("third", FORM))
    trail = read_trail(events, [block("first"), second, block("third")], effects)
    assert seen(trail) == [("first", "", ""), ("second", HOME, "")]
    assert trail.stop is second
    assert trail.last is None


@pytest.mark.parametrize(
    ("locator", "url"),
    [
        ({"role": "link", "text": "Cancel order"}, LIST),
        ({"css": "a.delete"}, LIST),
        ({"text": "Go on"}, "https://x.test/orders/7/cancel"),
        ({"text": "Go on"}, "https://x.test/do?action=delete&id=7"),
    ],
)
def test_a_link_that_promises_an_effect_is_not_followed(locator: dict[str, Any], url: str) -> None:
    events = happened(("open", HOME), ("link", url), ("read", ""))
    trail = read_trail(events, [block("open"), block("link", locator), block("read")], ())
    assert seen(trail) == [("open", "", ""), ("link", HOME, "")]
    assert trail.stop is not None


def test_only_the_last_attempt_and_the_first_round_count() -> None:
    events = happened(("open", HOME), ("row", LIST)) + happened(("open", FORM), ("row", FORM), ("row", LIST))
    trail = read_trail(events, [block("open"), block("row", {"css": "tr"})], ())
    assert seen(trail) == [("open", "", ""), ("row", FORM, "")]
    assert trail.last is not None
    assert trail.last.url == LIST


def test_blocks_that_were_deleted_since_still_say_where_the_run_was_and_what_it_did() -> None:
    events = happened(("open", HOME), ("gone", LIST), ("read", ""))
    blocks = [block("open"), block("read")]
    trail = read_trail(events, blocks, ())
    assert seen(trail) == [("open", "", ""), ("read", LIST, "")]
    stopped = read_trail(events, blocks, {"gone"})
    assert seen(stopped) == [("open", "", "")]
    assert stopped.stop is not None
    assert stopped.stop.name == "gone"
