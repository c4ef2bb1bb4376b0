"""Input types into rich editors and masked fields."""

import pytest
from browser.blocks.conftest import Desk

pytestmark = pytest.mark.anyio


async def type_text(desk: Desk, css: str, value: str, **more: object) -> None:
    await desk.run("Input", {"key": "k", "inputType": "TextInput", "value": value, **more}, css=css)


async def test_quill_holds_what_was_typed(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/quill.html")
    await type_text(desk, ".ql-editor", "Dear all,\nhello")
    assert await desk.value("quill.getText()") == "Dear all,\nhello\n"
    await type_text(desk, ".ql-editor", " again", clearFirst=False)
    assert await desk.value("quill.getText()") == "Dear all,\nhello again\n"


async def test_prosemirror_holds_what_was_typed(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/prosemirror.html")
    await type_text(desk, ".ProseMirror", "Dear all,\nhello")
    assert await desk.value("window.kept") == "Dear all,\nhello"


@pytest.mark.parametrize(
    ("css", "value", "shown"),
    [
        ("#phone", "5550109999", "+1 (555) 010-9999"),
        ("#sum", "1234.5", "1,234.50"),
        ("#day", "09032026", "09.03.2026"),
    ],
)
async def test_a_mask_keeps_what_was_typed_in_its_own_style(
    desk: Desk, address: str, css: str, value: str, shown: str
) -> None:
    await desk.session.goto(f"{address}/masks.html")
    await type_text(desk, css, value, pressKeys=["Tab"])
    assert await desk.value(f"document.querySelector('{css}').value") == shown
