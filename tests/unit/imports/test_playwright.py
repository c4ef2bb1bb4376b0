"""Programs of Playwright's codegen: each call becomes a block, and nothing is run."""

import pytest

from support.importing import Json, blocks_of, imported, reasons


def program(*lines: str) -> str:
    return "from playwright.sync_api import Page\n\ndef test_x(page: Page) -> None:\n" + "".join(
        f"    {line}\n" for line in lines
    )


@pytest.mark.parametrize(
    ("expression", "locator"),
    [
        ('page.get_by_role("button", name="Save")', {"role": "button", "text": "Save", "strict": True}),
        (
            'page.get_by_role("button", name=re.compile(r"^Save$"))',
            {"role": "button", "text": "Save", "strict": True},
        ),
        ('page.get_by_label("Name")', {"label": "Name", "strict": True}),
        ('page.get_by_text("Total")', {"text": "Total", "strict": True}),
        ('page.get_by_placeholder("Search")', {"placeholder": "Search", "strict": True}),
        ('page.get_by_title("Close")', {"title": "Close", "strict": True}),
        ('page.get_by_alt_text("Logo")', {"altText": "Logo", "strict": True}),
        ('page.get_by_test_id("go")', {"css": '[data-testid="go"]', "strict": True}),
        ('page.locator("#a").locator(".b")', {"css": "#a .b", "strict": True}),
        ('page.locator("//a[1]")', {"xpath": "//a[1]", "strict": True}),
        ('page.locator("text=Total")', {"text": "Total", "strict": True}),
        ('page.locator("li").filter(has_text="One")', {"css": "li", "text": "One", "strict": True}),
        ('page.get_by_role("link", name="Next").first', {"role": "link", "text": "Next"}),
        (
            'page.locator("tr").nth(2).get_by_text("Open")',
            {
                "xpath": "(//tr)[3]//*[contains(normalize-space(.), 'Open')]"
                "[not(*[contains(normalize-space(.), 'Open')])]",
                "strict": True,
            },
        ),
        (
            'page.locator("iframe[name=pay]").content_frame.get_by_label("Card")',
            {"label": "Card", "strict": True, "frame": "iframe[name=pay]"},
        ),
        ('page.frame_locator("#pay").locator("#card")', {"css": "#card", "strict": True, "frame": "#pay"}),
    ],
)
def test_a_locator_says_the_same(expression: str, locator: Json) -> None:
    [block] = blocks_of(imported(program(f"{expression}.click()"), "x.py"))
    assert block["at"] == locator


ROW = 'page.get_by_role("row", name="ACME-17").get_by_role("button", name="Delete")'


def test_a_chain_of_roles_is_looked_for_one_inside_the_other() -> None:
    [block] = blocks_of(imported(program(f"{ROW}.click()"), "x.py"))
    assert block["at"]["xpath"].startswith(
        "//*[self::tr or @role='row'][contains(normalize-space(.), 'ACME-17')"
    )
    assert "//*[self::button or @role='button'" in block["at"]["xpath"]


AT = {"at": {"css": "#a", "strict": True}}


@pytest.mark.parametrize(
    ("call", "block"),
    [
        ("dblclick()", {"kind": "Mouse", "action": "doubleClick", **AT}),
        ('click(button="right")', {"kind": "Mouse", "action": "rightClick", **AT}),
        ('click(modifiers=["Shift"])', {"kind": "Mouse", "modifiers": ["Shift"], **AT}),
        ("hover()", {"kind": "Hover", **AT}),
        ('fill("x")', {"kind": "Input", "key": "a", "inputType": "TextInput", "value": "x", **AT}),
        ("check()", {"kind": "Input", "inputType": "Checkbox", "value": "true", **AT}),
        ("uncheck()", {"kind": "Input", "inputType": "Checkbox", "value": "false", **AT}),
        ('select_option("one")', {"kind": "Dropdown", "value": "one", "matchBy": "value", **AT}),
        ('select_option(label="One")', {"kind": "Dropdown", "value": "One", **AT}),
        ('select_option(["1", "2"])', {"kind": "Dropdown", "values": ["1", "2"], "matchBy": "value", **AT}),
        (
            'set_input_files("x.pdf")',
            {"kind": "Input", "inputType": "File", "value": "{{params.file}}", **AT},
        ),
        (
            'drag_to(page.locator("#b"))',
            {"kind": "Mouse", "action": "drag", "toLocator": {"css": "#b", "strict": True}, **AT},
        ),
    ],
)
def test_an_act_becomes_a_block(call: str, block: Json) -> None:
    [made] = blocks_of(imported(program(f'page.locator("#a").{call}'), "x.py"))
    assert made == block


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("to_be_visible()", {"state": "visible"}),
        ("to_be_checked()", {"state": "checked"}),
        ("not_to_be_visible()", {"state": "hidden"}),
        ('to_contain_text("x")', {"state": "textContains", "value": "x"}),
        ('to_have_value("x")', {"state": "valueEquals", "value": "x"}),
        ("to_have_count(3)", {"state": "count=3"}),
        ("to_be_empty()", {"state": "valueEquals", "value": ""}),
    ],
)
def test_an_assertion_is_waited_for(call: str, condition: Json) -> None:
    [block] = blocks_of(imported(program(f'expect(page.locator("#a")).{call}'), "x.py"))
    assert block["condition"] == {"element": {"css": "#a"}, **condition}


def test_the_async_program_is_the_same_workflow() -> None:
    lines = [
        'page.goto("https://a.example/")',
        'page.get_by_label("Name").fill("x")',
        'page.locator("#q").press("Enter")',
    ]
    sync = imported(program(*lines), "x.py")
    made = "".join(f"    await {line}\n" for line in lines)
    written = (
        "async def run(playwright):\n    browser = await playwright.chromium.launch(headless=False)\n"
        f"    context = await browser.new_context()\n    page = await context.new_page()\n{made}"
        "    await context.close()\n    await browser.close()\n\n"
        "async def main():\n    async with async_playwright() as playwright:\n"
        "        await run(playwright)\n\nasyncio.run(main())\n"
    )
    done = imported(written, "x.py")
    assert done.text == sync.text
    assert done.unmapped == []


def test_popups_downloads_choosers_and_dialogs() -> None:
    lines = [
        "with page.expect_popup() as page1_info:",
        '    page.get_by_role("link", name="Details").click()',
        "page1 = page1_info.value",
        'page1.get_by_text("Total").click()',
        "page1.close()",
        "with page.expect_download() as download_info:",
        '    page.get_by_role("link", name="Letter").click()',
        "download = download_info.value",
        'download.save_as("letters/one.pdf")',
        'page.once("dialog", lambda dialog: dialog.accept())',
        'page.get_by_role("button", name="Delete").click()',
    ]
    done = imported(program(*lines), "x.py")
    popup, total, close, download, delete = blocks_of(done)
    assert (popup["expect"], total["kind"], close["kind"]) == ("popup", "Mouse", "ClosePage")
    assert download == {
        "kind": "DownloadFile",
        "fileName": "one.pdf",
        "at": {"role": "link", "text": "Letter", "strict": True},
    }
    assert delete["dialog"] == {"action": "accept"}
    assert done.unmapped == []


def test_a_step_in_the_first_tab_switches_back_to_it() -> None:
    lines = [
        "with page.expect_popup() as page1_info:",
        '    page.locator("#a").click()',
        "page1 = page1_info.value",
        'page1.locator("#b").click()',
        'page.locator("#c").click()',
    ]
    assert [block.get("tab") for block in blocks_of(imported(program(*lines), "x.py"))] == [
        None,
        None,
        0,
        None,
    ]


def test_a_key_is_pressed_in_the_field_before() -> None:
    lines = [
        'page.locator("#q").fill("x")',
        'page.locator("#q").press("Enter")',
        'page.keyboard.press("Escape")',
    ]
    [block] = blocks_of(imported(program(*lines), "x.py"))
    assert block["pressKeys"] == ["Enter", "Escape"]


def test_the_title_of_a_page_is_waited_for() -> None:
    _, waited = blocks_of(
        imported(program('page.goto("https://a.example/")', 'expect(page).to_have_title("Claims")'), "x.py")
    )
    assert waited["condition"] == {
        "element": {"css": "head > title"},
        "state": "textContains",
        "value": "Claims",
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("for x in range(3): page.goto(x)", "control flow"),
        ("import_os().system('touch /tmp/x')", "no element of a page"),
        ('page.goto("https://" + host)', "not written out"),
        ('page.screenshot(path="x.png")', "`screenshot` of a page"),
        ('expect(page).not_to_have_title("x")', "`not_to_have_title` of a page"),
        ('page.locator("#a").evaluate("1")', "`evaluate` has no counterpart"),
        ('page9.locator("#a").click()', "no element of a page"),
        ('page.get_by_text(re.compile("a|b")).click()', "has no counterpart"),
    ],
)
def test_anything_else_is_a_comment(line: str, reason: str) -> None:
    done = imported(program(line, 'page.goto("https://a.example/")'), "x.py")
    assert reason in reasons(done)[0]
    assert [block["kind"] for block in blocks_of(done)] == ["Navigate"]
    assert done.unmapped[0].where == "line 4"
