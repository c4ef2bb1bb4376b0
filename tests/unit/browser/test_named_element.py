"""The element that a model names: none, one, or one that could do harm."""

from typing import Any, cast

import pytest

from pagehand.browser import RiskyElement, named_element
from pagehand.browser_session import FoundElement
from pagehand.workflow.locator import Locator

pytestmark = pytest.mark.anyio


async def find_by_reference(reference: str) -> tuple[FoundElement, Locator]:
    names = {"e1": "Save", "e2": "Delete all"}
    found = FoundElement(element=cast("Any", reference), matches=1, how="reference")
    return found, Locator(role="button", text=names[reference])


@pytest.mark.parametrize("answer", [{"ref": None}, {"ref": ""}])
async def test_a_model_may_name_none(answer: dict[str, Any]) -> None:
    assert await named_element(find_by_reference, answer, "the Save button") is None


@pytest.mark.parametrize(("reference", "wanted"), [("e1", "the Save button"), ("e2", "remove every row")])
async def test_the_named_element_is_taken_where_it_does_no_more_than_was_wanted(
    reference: str, wanted: str
) -> None:
    named = await named_element(find_by_reference, {"ref": reference}, wanted)
    assert named is not None
    assert named[0].element is cast("Any", reference)


async def test_a_harmful_element_is_refused_where_nothing_harmful_was_wanted() -> None:
    with pytest.raises(RiskyElement, match="Delete all"):
        await named_element(find_by_reference, {"ref": "e2"}, "the Save button")
