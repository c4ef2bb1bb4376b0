"""Input types into rich editors and masked fields."""

import pytest

from support.block_runner import BlockRunner

pytestmark = pytest.mark.anyio


async def type_text(runner: BlockRunner, css: str, value: str, **more: object) -> None:
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": value, **more}, css=css)


async def test_quill_holds_what_was_typed(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/quill.html")
    await type_text(runner, ".ql-editor", "Dear all,\nhello")
    assert await runner.value("quill.getText()") == "Dear all,\nhello\n"
    await type_text(runner, ".ql-editor", " again", clearFirst=False)
    assert await runner.value("quill.getText()") == "Dear all,\nhello again\n"


async def test_prosemirror_holds_what_was_typed(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/prosemirror.html")
    await type_text(runner, ".ProseMirror", "Dear all,\nhello")
    assert await runner.value("window.kept") == "Dear all,\nhello"


@pytest.mark.parametrize(
    ("css", "value", "shown"),
    [
        ("#phone", "5550109999", "+1 (555) 010-9999"),
        ("#sum", "1234.5", "1,234.50"),
        ("#day", "09032026", "09.03.2026"),
    ],
)
async def test_a_mask_keeps_what_was_typed_in_its_own_style(
    runner: BlockRunner, address: str, css: str, value: str, shown: str
) -> None:
    await runner.session.goto(f"{address}/masks.html")
    await type_text(runner, css, value, pressKeys=["Tab"])
    assert await runner.value(f"document.querySelector('{css}').value") == shown
