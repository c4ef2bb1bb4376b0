"""What the cache goes by: the page's pattern, and the meaning of a block and all before it."""

import pytest

from pagehand.blocks import kinds
from pagehand.engine.run.cache import url_pattern, wording_digests
from pagehand.workflow.parse import parse_blocks


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://a.example/claims/17?x=1#top", "https://a.example/claims/*"),
        ("https://a.example/claims/2026-01-31/lines", "https://a.example/claims/*/lines"),
        ("https://a.example:8443/", "https://a.example:8443/"),
        ("https://a.example/c/9f8b1c2d-0000-4000-8000-abcdefabcdef", "https://a.example/c/*"),
        ("https://a.example/about/us", "https://a.example/about/us"),
    ],
)
def test_a_page_is_known_by_origin_and_path_pattern(url: str, wanted: str) -> None:
    assert url_pattern(url) == wanted


def test_an_edit_changes_the_meaning_of_a_block_and_of_what_follows_only() -> None:
    waits = [{"id": f"block_{at}", "type": "Wait", "data": {"durationMs": at}} for at in range(3)]
    before = wording_digests(parse_blocks(waits, kinds()))
    waits[1]["data"] = {"durationMs": 99}
    after = wording_digests(parse_blocks(waits, kinds()))
    assert [before[block] == after[block] for block in before] == [True, False, False]


def test_a_new_name_changes_no_meaning() -> None:
    block: dict[str, object] = {"id": "block_1", "type": "Wait", "data": {}}
    renamed = {**block, "name": "Another name"}
    assert wording_digests(parse_blocks([block], kinds())) == wording_digests(
        parse_blocks([renamed], kinds())
    )
