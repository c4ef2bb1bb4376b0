"""A page in words: references that lead to elements, and no secrets."""

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import NotPresent

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><title>Account</title><h1>Account</h1>
<label>Name <input value=Ada></label><label>Password <input type=password value='hunter2\"secret: x'></label>
<label>PIN <input id=pin value=4711secret></label>
<button>Save</button><iframe name=inner srcdoc="<button>Inside</button>"></iframe>"""


def reference(described: str, name: str) -> str:
    return described.split(f'"{name}"')[1].split("[ref=")[1].split("]", 1)[0]


async def test_things_are_named_and_lead_to_their_elements(session: BrowserSession) -> None:
    await session.page.set_content(PAGE)
    described = await session.describe()
    assert 'textbox "Name"' in described
    assert "Title: Account" in described
    found, locator = await session.find_by_reference(reference(described, "Save"))
    assert await found.element.inner_text() == "Save"
    assert str(locator) == "role `button`, text `Save`"


async def test_elements_in_frames_have_locators_with_their_frame(session: BrowserSession) -> None:
    await session.page.set_content(PAGE)
    described = await session.describe()
    _, locator = await session.find_by_reference(reference(described, "Inside"))
    assert locator.frame == "inner"


async def test_what_stands_in_secret_fields_is_not_described(session: BrowserSession) -> None:
    await session.page.set_content(PAGE)
    await session.mask(session.page.locator("#pin"))
    described = await session.describe()
    assert "secret" not in described
    assert "Ada" in described


@pytest.mark.slow
async def test_a_reference_to_nothing_says_so(session: BrowserSession) -> None:
    await session.page.set_content(PAGE)
    await session.describe()
    with pytest.raises(NotPresent, match="look at the page again"):
        await session.find_by_reference("e999")
