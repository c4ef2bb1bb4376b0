"""Single steps in words: the block each makes, field by field, and what is refused rather than guessed."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.instructions.grammar import NotUnderstood
from pagehand.records import Json
from pagehand.workflow.parse import parse_blocks
from support.instructions import read_instructions


def read(say: str) -> list[Json]:
    blocks = read_instructions(say, parameters=["site", "file", "to"], logins={"Portal": "login_1"})
    assert parse_blocks(blocks, kinds())
    return blocks


def entered(key: str, input_type: str, value: str, **more: Any) -> Json:
    return {"key": key, "inputType": input_type, "value": value, **more}


@pytest.mark.parametrize(
    ("say", "data"),
    [
        ("Type Ada into the Name field", entered("Name", "TextInput", "Ada")),
        ("Enter 12345 as the zip code", entered("zip code", "TextInput", "12345")),
        ('Fill in the Comment box with "Thank you"', entered("Comment", "TextInput", "Thank you")),
        ("In the Name field type Ada", entered("Name", "TextInput", "Ada")),
        ('Type "" into the Name field', entered("Name", "TextInput", "")),
        ("Type {{params.site}} into Home", entered("Home", "TextInput", "{{params.site}}")),
        ("Type the site from the parameters into Home", entered("Home", "TextInput", "{{params.site}}")),
        ("Type hunter2 into the Password field", entered("Password", "SensitiveTextInput", "hunter2")),
        ("Set PIN to 1234", entered("PIN", "SensitiveTextInput", "1234")),
        ("Type {{login.password}} into Code", entered("Code", "SensitiveTextInput", "{{login.password}}")),
        ("Type Ada into Name and press Enter", entered("Name", "TextInput", "Ada", pressEnter=True)),
        ("Type Ada into Name and press Tab", entered("Name", "TextInput", "Ada", pressKeys=["Tab"])),
        (
            "Type Ada into the Name field, press Tab, press Return",
            entered("Name", "TextInput", "Ada", pressKeys=["Tab", "Enter"]),
        ),
        (
            "Type Ada into the Name field, press Enter, press Esc",
            entered("Name", "TextInput", "Ada", pressKeys=["Enter", "Escape"]),
        ),
        ("Set the Due date to 31/12/2026", entered("Due date", "Date", "2026-12-31")),
        ("Set the Due date to 2026-04-03", entered("Due date", "Date", "2026-04-03")),
        ("Set the Due date to next Friday", entered("Due date", "Date", "next Friday")),
        ("Set Update notes to 03/04/2026", entered("Update notes", "TextInput", "03/04/2026")),
        ("Choose 31/12/2026 in the Date picker", entered("Date", "Date", "2026-12-31")),
        ("Select next Friday in the Arrival date field", entered("Arrival date", "Date", "next Friday")),
        ("Choose May from the Date list", entered("Date", "Dropdown", "May")),
        ("Choose Norway from the Country list", entered("Country", "Dropdown", "Norway")),
        ("In the Country dropdown choose Norway", entered("Country", "Dropdown", "Norway")),
        ("Set the Country dropdown to Norway", entered("Country", "Dropdown", "Norway")),
        ("Tick Newsletter", entered("Newsletter", "Checkbox", "true")),
        ("Untick the Newsletter checkbox", entered("Newsletter", "Checkbox", "false")),
        ("Turn on Wi-Fi", entered("Wi-Fi", "Checkbox", "true")),
        ("Turn off the Wi-Fi switch", entered("Wi-Fi", "Checkbox", "false")),
        ("Make sure the Newsletter checkbox is unticked", entered("Newsletter", "Checkbox", "false")),
        ("Set the Newsletter checkbox to off", entered("Newsletter", "Checkbox", "false")),
        ('Set "Newsletter" to "on"', entered("Newsletter", "TextInput", "on")),
        ("Set the Due date to March 14, 2026", entered("Due date", "Date", "2026-03-14")),
        ("Type 3rd of May 2026 into the Due date field", entered("Due date", "Date", "2026-05-03")),
        ("Type $1,250.00 into Total", entered("Total", "TextInput", "$1,250.00")),
        ("Enter the amount 1,250.00 in Total", entered("Total", "TextInput", "1,250.00")),
        (
            "Choose Smith, Jones & Co from the Supplier list",
            entered("Supplier", "Dropdown", "Smith, Jones & Co"),
        ),
        ("Choose Blue from teh Colour dropdown", entered("Colour", "Dropdown", "Blue")),
        ("Clear the Search field", entered("Search", "TextInput", "")),
        ("Set the Job title to Clerk", entered("Job title", "TextInput", "Clerk")),
        ("Type late into the Delivery note", entered("Delivery note", "TextInput", "late")),
        ("Upload {{params.file}} to the Attachment field", entered("Attachment", "File", "{{params.file}}")),
    ],
)
def test_a_field_is_filled_in_the_way_that_suits_it(say: str, data: Json) -> None:
    [block] = read(say)
    assert (block["type"], block["data"]) == ("Input", data)


def test_several_fields_become_one_block_each() -> None:
    blocks = read("Fill in First name with Ada, Last name with Lovelace and Email with ada@example.com")
    assert [(block["data"]["key"], block["data"]["value"]) for block in blocks] == [
        ("First name", "Ada"),
        ("Last name", "Lovelace"),
        ("Email", "ada@example.com"),
    ]


@pytest.mark.parametrize(
    "say",
    [
        "Fill in the form: Name: Ada Lovelace, Total: 1,250.00",
        "Enter Name: Ada Lovelace and Total: 1,250.00",
        "Enter the following:\n- Name: Ada Lovelace\n- Total: 1,250.00",
    ],
)
def test_labels_with_their_values_become_one_block_each(say: str) -> None:
    assert [block["data"] for block in read(say)] == [
        entered("Name", "TextInput", "Ada Lovelace"),
        entered("Total", "TextInput", "1,250.00"),
    ]


def test_a_value_and_the_row_of_its_field_are_two_things() -> None:
    [block] = read("Set Status to Closed in the row of ACME-17")
    assert (block["data"]["value"], block["locator"]) == ("Closed", {"words": "Status in the row of ACME-17"})


def test_a_download_that_is_waited_for_is_one_step() -> None:
    [block] = read("Click Export to Excel and wait for the file to download")
    assert (block["type"], block["locator"]) == ("DownloadFile", {"text": "Export to Excel"})


def test_a_name_with_and_is_whole_where_the_page_has_it() -> None:
    class Page:
        def find(self, words: str, target: str, /) -> Json | None:
            return (
                {"role": "button", "text": words}
                if (words, target) == ("Save and close", "control")
                else None
            )

    [block] = read_instructions("Click Save and close", pages=Page())
    assert block["locator"] == {"role": "button", "text": "Save and close"}


def test_typing_without_a_field_goes_into_the_one_clicked_before() -> None:
    _, typed = read("Click the Name field and type Ada")
    assert typed["data"] == entered("Name", "TextInput", "Ada")


def test_enter_alone_goes_to_what_has_the_focus_and_leaves_its_text() -> None:
    [block] = read("Press the Enter key")
    assert block["locator"] == {"css": ":focus"}
    assert block["data"] == entered("the focused field", "TextInput", "", clearFirst=False, pressEnter=True)


@pytest.mark.parametrize(
    ("say", "words"),
    [
        ("Type into Name", "into Name"),
        ("Type Ada", "Ada"),
        ("Type Ada and click Save", "Ada"),
        ("Type it into Name", "it"),
        ("Type my name into Name", "my"),
        ("Type the supplier's name into Name", "the supplier's name"),
        ("Type Save into Save", "Save"),
        ('Type a "b" into Name', 'a "b"'),
        ("Type Ada into the form", "the form"),
        ("Set Country and City to Norway", "Country and City"),
        ("Set the Due date to 03/04/2026", "03/04/2026"),
        ("Set the Due date to 31/12/26", "31/12/26"),
        ("Set the Due date to 31.02.2026", "31.02.2026"),
        ("Set Newsletter to on", "on"),
        ("Type Ada into the Save button", "Save button"),
        ("Check the total", "the total"),
        ("Check all boxes", "all boxes"),
        ("Tick the Save button", "the Save button"),
        ("Enable Wi-Fi and Bluetooth", "Wi-Fi and Bluetooth"),
        ("Choose Norway", "Norway"),
        ("Upload report.pdf", "report.pdf"),
        ("Press Escape", "press Escape"),
        ("Press Ctrl+S", "Ctrl+S"),
    ],
)
def test_a_field_or_a_value_that_is_not_clear_is_refused(say: str, words: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read(say)
    assert words in caught.value.words


@pytest.mark.parametrize(
    ("say", "type_name", "data", "locator"),
    [
        ("Open example.com", "Navigate", {"url": "https://example.com"}, None),
        ("Go to localhost:8700/a", "Navigate", {"url": "https://localhost:8700/a"}, None),
        ("Go to /orders", "Navigate", {"url": "/orders"}, None),
        ("Visit the site from the parameters", "Navigate", {"url": "{{params.site}}"}, None),
        ("Open example.com in a new tab", "Navigate", {"url": "https://example.com", "newTab": True}, None),
        ("Click Save", "Mouse", {"action": "click"}, {"text": "Save"}),
        ("Click on the Save button", "Mouse", {"action": "click"}, {"role": "button", "text": "Save"}),
        ('Press "Not now"', "Mouse", {"action": "click"}, {"text": "Not now"}),
        (
            "Click the button labelled Go on",
            "Mouse",
            {"action": "click"},
            {"role": "button", "text": "Go on"},
        ),
        ("Double click Row 3", "Mouse", {"action": "doubleClick"}, {"text": "Row 3"}),
        (
            "Right-click the Report link",
            "Mouse",
            {"action": "rightClick"},
            {"role": "link", "text": "Report"},
        ),
        ("Click the logo image", "Mouse", {"action": "click"}, {"altText": "logo"}),
        ("Drag A to B", "Mouse", {"action": "drag", "toLocator": {"text": "B"}}, {"text": "A"}),
        ("Scroll down", "Mouse", {"action": "scroll", "y": 800}, None),
        ("Scroll up 200 pixels", "Mouse", {"action": "scroll", "y": -200}, None),
        ("Scroll to the bottom of the page", "Mouse", {"action": "scroll", "y": 1_000_000}, None),
        ("Scroll to the Terms heading", "Mouse", {"action": "scroll"}, {"role": "heading", "text": "Terms"}),
        ("Hover over Help", "Hover", {}, {"text": "Help"}),
        ("Open the first result", "Mouse", {"action": "click"}, {"words": "the first result"}),
        ("Go to the Orders page", "Mouse", {"action": "click"}, {"text": "Orders"}),
        ("Open the menu next to Ada", "Mouse", {"action": "click"}, {"words": "the menu next to Ada"}),
        ("Take a screenshot and save it as a.pdf", "SaveAsPdf", {"fileName": "a.pdf"}, None),
        ("Close the tab", "ClosePage", {"which": "current"}, None),
        ("Close the other tabs", "ClosePage", {"which": "others"}, None),
        ("Close the newest window", "ClosePage", {"which": "last"}, None),
        ("Close any popups", "ClosePopup", {}, None),
        ("Dismiss the cookie banner", "ClosePopup", {"kinds": ["cookieBanner"]}, None),
        ("If a dialog appears, close it", "ClosePopup", {"kinds": ["dialog"]}, None),
        ("Close the overlay if there is one", "ClosePopup", {"kinds": ["modal"]}, None),
        ("Wait 1.5 seconds", "Wait", {"durationMs": 1500}, None),
        ("Pause for half a minute", "Wait", {"durationMs": 30_000}, None),
        ("Sleep 250ms", "Wait", {"durationMs": 250}, None),
        ("Search for lamps", "Search", {"query": "lamps"}, None),
        ('Search the "Products" field for lamps', "Search", {"query": "lamps"}, {"label": "Products"}),
        ("Search the web for lamps", "SearchAndNavigate", {"query": "lamps"}, None),
        (
            "Search the web for lamps and open the second result",
            "SearchAndNavigate",
            {"query": "lamps", "pick": {"index": 1}},
            None,
        ),
        ("Save the page as a landscape PDF", "SaveAsPdf", {"landscape": True}, None),
        ('Print the page to PDF called "a.pdf"', "SaveAsPdf", {"fileName": "a.pdf"}, None),
        (
            "Download https://example.com/a.pdf as b.pdf",
            "DownloadFile",
            {"url": "https://example.com/a.pdf", "fileName": "b.pdf"},
            None,
        ),
        ("Download the report by clicking Export", "DownloadFile", {}, {"text": "Export"}),
        (
            "Click Export and save the download as orders.csv",
            "DownloadFile",
            {"fileName": "orders.csv"},
            {"text": "Export"},
        ),
        (
            "Call DELETE https://example.com/1",
            "API",
            {"method": "DELETE", "route": "https://example.com/1"},
            None,
        ),
        ("Unzip {{params.file}}", "UnzipFile", {"file": "{{params.file}}"}, None),
        ("Sign in with the Portal login", "Login", {"loginId": "login_1", "isParameter": False}, None),
        ("Sign in with the stored login", "Login", {"loginId": "", "isParameter": True}, None),
    ],
)
def test_a_step_makes_one_block(say: str, type_name: str, data: Json, locator: Json | None) -> None:
    [block] = read(say)
    assert (block["type"], block["data"], block.get("locator")) == (type_name, data, locator)


@pytest.mark.parametrize(
    ("say", "state", "timeout"),
    [
        ('Wait until "Done" is shown', "visible", None),
        ('Wait until "Done" is not shown, at most 20 seconds', "hidden", 20_000),
        ('Wait for "Done"', "visible", None),
        ('Wait for "Done" to disappear', "hidden", None),
        ('Wait for "Done" to go away, up to 2 minutes', "hidden", 120_000),
        ('Wait for "Done" to be enabled', "enabled", None),
        ('Wait up to 10 secs for "Done" to vanish', "hidden", 10_000),
        ('Wait at most 1 min until "Done" is disabled', "disabled", 60_000),
    ],
)
def test_waiting_for_something_takes_its_state_and_its_time(
    say: str, state: str, timeout: int | None
) -> None:
    [block] = read(say)
    limit = {} if timeout is None else {"timeoutMs": timeout}
    assert block["type"] == "WaitForCondition"
    assert block["data"] == {"condition": {"element": {"text": "Done"}, "state": state}, **limit}


def test_a_mail_takes_every_part_that_is_given() -> None:
    [block] = read(
        "Send an email to a@b.example and {{params.to}}, cc c@d.example, bcc e@f.example, with the subject "
        '"Hi" and the text "Yo, all" and the attachment {{params.file}}'
    )
    assert block["data"] == {
        "toAddresses": ["a@b.example", "{{params.to}}"],
        "ccAddresses": ["c@d.example"],
        "bccAddresses": ["e@f.example"],
        "subject": "Hi",
        "body": "Yo, all",
        "attachments": ["{{params.file}}"],
    }


def test_failing_takes_a_message_and_a_condition_that_may_deny() -> None:
    [block] = read('Stop with the message "Sold out" if the Buy button is not enabled')
    assert block["type"] == "FailOnCondition"
    assert block["data"]["message"] == "Sold out"
    assert block["data"]["condition"]["state"] == "disabled"


def test_a_sign_in_form_is_opened_filled_in_and_sent() -> None:
    page, form = read("Log in at https://example.com with email a@b.example and password {{params.file}}")
    assert page["data"] == {"url": "https://example.com"}
    assert form["data"] == {
        "fields": [
            entered("email", "TextInput", "a@b.example"),
            entered("password", "SensitiveTextInput", "{{params.file}}"),
        ],
        "submit": True,
    }


EXTRACTED = [
    ("Extract the total", {"total": {"type": "string"}}, False),
    ("Read the price as a number", {"price": {"type": "number"}}, False),
    ("Get the paid date as a date", {"paidDate": {"type": "string", "format": "date"}}, False),
    ('Get "Grand total" as amount', {"amount": {"type": "string", "description": "Grand total"}}, False),
    (
        "Extract the link as a link and the count as a whole number from the page",
        {"link": {"type": "string", "format": "uri"}, "count": {"type": "integer"}},
        False,
    ),
    (
        "Extract the name and price of every product",
        {"name": {"type": "string"}, "price": {"type": "string"}},
        True,
    ),
    ("Extract each product with its name", {"name": {"type": "string"}}, True),
    ("Extract the address line 2", {"addressLine2": {"type": "string"}}, False),
]


@pytest.mark.parametrize(("say", "properties", "is_list"), EXTRACTED)
def test_what_is_extracted_becomes_a_schema(say: str, properties: Json, is_list: bool) -> None:
    [block] = read(say)
    one = {"type": "object", "properties": properties, "required": list(properties)}
    assert block["data"]["schema"] == ({"type": "array", "items": one} if is_list else one)


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        ("Extract all", "exactly what is meant"),
        ("Extract the table", "by its name on the page"),
        ("Extract the last 10 orders", "of every"),
        ("Extract 3 prices", "of every"),
        ("Extract the first three prices", "of every"),
        ("Extract the total and the total", "asked for twice"),
        ("Extract the name of every product not in stock", "what not to do"),
        ("Download it", "nothing was named before"),
        ("Download the Report link as my report.pdf", "exactly what is meant"),
        ("Save the page as PDF called march report", "in quotes"),
        ("Post the results to /hook", "the whole address"),
        ("Post the results to https://example.com/hook", "no step before has such an output"),
        ("Extract the net. Extract the tax. Post the results to https://example.com", "several steps before"),
        ("Post the news to https://example.com/hook", "it is not clear where this value comes from"),
        ("Post hello to https://example.com/hook", "output of an earlier step"),
        ("Unzip it", "no step before has such an output"),
        ("Call Ann", "an address was expected"),
        ("Send an email to ann@example.com", "a mail has a subject"),
        ("Send an email to Ann with the subject Hi", "a mail address was expected"),
        (
            "Send an email to a@b.example with the subject Hi and the file a.pdf",
            "a file comes from a parameter",
        ),
        ("Sign in with the Other login", "there are `Portal`"),
        ("Type Ada into Username and sign in", "click Log in"),
        ("Open javascript:alert(1)", "an address was expected"),
        ("Go to file:///etc/passwd", "an address was expected"),
        ("Open Settings in a new tab", "in a new tab"),
        ("Set Name to Ada in the first row", "the place after the field"),
        ("Select Norway Country and Oslo for City", "in quotes"),
        ("Click Edit and save it", "no step goes on like this"),
        ("Press the Down arrow key", "keys are pressed in a field"),
        ("Fill in the form: Name: Ada, Lovelace", "where the value ends"),
        ("Click the red button", "not by how they look"),
        ("Click the best offer", "exactly what is meant"),
        ("Click Save and Download report", "one step or two"),
        ("Click Save and Cancel", "one step or two"),
        ("Click Save, Cancel", "in quotes"),
        ("Click Save in 5 minutes", "a step has no time of its own"),
        ("Click the button", "say which button"),
        ("Click the Save button for", "a name seems to end before it"),
        ("Click the second", "say what is counted"),
        ("Click it", "nothing was named before"),
        ('Click ""', "an empty name finds nothing"),
        ("Hover over the menu", "say which menu"),
        ("Wait 2", "say it like"),
        ("Wait for 3 parsecs", "this is a time"),
        ("Wait for Results appears", "to appear"),
        ("Search for lamps on example.com", "on the page that is open"),
        ("Search the web for lamps and open the result", "say which of the results"),
        ("Delete everything", "no step begins like this"),
        ("Pay", "no step begins like this"),
    ],
)
def test_what_is_not_clear_is_refused_with_a_reason(say: str, reason: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read(say)
    assert reason in caught.value.message
