"""The parts of a step in any order, in other words for the same, and with what people write around it."""

import pytest

from pagehand.instructions.grammar import NotUnderstood
from support.instructions import Json, read_instructions


def summary(block: Json) -> str:  # noqa: PLR0911 - one line for each kind
    """What a block does, in one line."""
    data = block["data"]
    locator: Json = block.get("locator") or {}
    target = locator.get("words") or locator.get("text") or data.get("key", "")
    match block["type"]:
        case "Mouse":
            answer = f" {data['dialog']['action']}" if "dialog" in data else ""
            return f"{data['action']} {target}{answer}"
        case "Input":
            return f"{data['inputType']} {target}={data['value']}"
        case "Extract":
            schema = data["schema"]
            rows = "rows " if schema["type"] == "array" else ""
            return f"read {rows}{','.join((schema.get('items') or schema)['properties'])}"
        case "LoopV2":
            inner = "; ".join(map(summary, block["sequenceData"]["sequence"]))
            most = f" at most {data['maxIterations']}" if "maxIterations" in data else ""
            return f"loop {next(iter(data['over']))}{most} [{inner}]"
        case "If" | "FailOnCondition" | "WaitForCondition":
            condition = data["condition"]
            what = condition.get("expression") or f"{condition['element']['text']} {condition['state']}"
            inner = "; ".join(map(summary, block.get("sequenceData", {}).get("trueSequence", [])))
            return f"{block['type']} {what}" + (f" [{inner}]" if inner else "")
        case "SendEmail":
            return f"mail {','.join(data['toAddresses'])} {data.get('subject', '')}: {data.get('body', '')}"
        case _:
            return f"{block['type']} {next(iter(data.values()), '')}"


def said(say: str) -> list[str]:
    return list(map(summary, read_instructions(say)))


@pytest.mark.parametrize(
    "say",
    [
        "Hi, for the yearly audit please click the Export button",
        "Good morning! Could you please click the Export button for our records?",
        "As we need the new figures, click the Export button",
        "Click the Export button because the list is old",
        "Click the Export button so that we have the figures",
        "We have to report the figures, so click the Export button",
        "It would be great if you could click the Export button",
        "Before you start, click the Export button",
    ],
)
def test_greetings_and_reasons_say_nothing_about_a_step(say: str) -> None:
    assert said(say) == ["click Export"]


def test_a_name_after_as_is_no_reason() -> None:
    clicked, downloaded = read_instructions("Click Orders; download Export list as unshipped.csv")
    assert (clicked["type"], downloaded["data"]) == ("Mouse", {"fileName": "unshipped.csv"})


@pytest.mark.parametrize(
    "say",
    [
        "Click Export since Monday",
        "For the customer, click Export",
        "In the morning, click Export",
        "Because the list is old or new, click Export",
        "As admin, click Export",
        "Search for the customer and click the audit",
    ],
)
def test_what_may_limit_a_step_is_no_reason(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ("In the row of ACME-17 click Edit", ["click Edit in the row of ACME-17"]),
        (
            "In the row of ACME-17 click Edit, then click Save all",
            ["click Edit in the row of ACME-17", "click Save all"],
        ),
        ("In the row for ACME-17 set Status to Paid", ["TextInput Status in the row for ACME-17=Paid"]),
        ("For invoice INV-77, click the Details link", ["click the Details link for INV-77"]),
        (
            "In the Orders table, click Edit in the row of ACME-17",
            ["click Edit in the row of ACME-17 in the Orders table"],
        ),
        (
            "In the section Delivery, tick Express",
            ["Checkbox Express in the section Delivery=true"],
        ),
        ("From the Country list pick Austria and click Save", ["Dropdown Country=Austria", "click Save"]),
        ("From the drop-down Terms select Net 30", ["Dropdown Terms=Net 30"]),
        ("In Street type Main St 5", ["TextInput Street=Main St 5"]),
        ("For Country choose Norway", ["Dropdown Country=Norway"]),
        ("In the dialog that opens, click OK", ["click OK in the dialog"]),
        ('Next to "Desk lamp", click Add', ['click Add next to "Desk lamp"']),
        ("From each row in the table, take the number and the date", ["read rows number,date"]),
        (
            "In the row of ACME click Yes and in the row of Beta click No",
            ["click Yes in the row of ACME", "click No in the row of Beta"],
        ),
        ("Under User enter Ada, under City enter Bonn", ["TextInput User=Ada", "TextInput City=Bonn"]),
        ("Locate the row with 4711 and click Pay there", ["click Pay in the row of 4711"]),
        ("In the row of Miller, Anna click Edit", ["click Edit in the row of Miller, Anna"]),
    ],
)
def test_the_place_may_come_first(say: str, blocks: list[str]) -> None:
    assert said(say) == blocks


@pytest.mark.parametrize(
    "say",
    [
        "In the Country dropdown, click Save",
        "In the Name field, wait 3 seconds",
        "In the Billing section, wait 3 seconds",
        "In the Orders table, read the total",
        "In the Colour list choose Red and Blue",
        "Change the quantity of Desk lamp to 3",
        "Click Yes in the row of ACME and No in the row of Beta",
        "Look for invoice 4711 in the Search field and open it",
        "In the row of ACME-17, send an email to a@b.example with the subject Done",
    ],
)
def test_a_place_that_no_step_uses_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ("Make a note of the balance", ["read balance"]),
        ("Record the balance and the date", ["read balance,date"]),
        ("Pull the name and the price from every row of the table", ["read rows name,price"]),
        ("Choose tomorrow as the delivery date", ["Date delivery date=tomorrow"]),
        ("Hold for 5 seconds", ["Wait 5000"]),
        ('Hang on until "Done" appears', ["WaitForCondition Done visible"]),
        ("Put a tick in the box Terms", ["Checkbox Terms=true"]),
        ("Remove the check mark from Newsletter", ["Checkbox Newsletter=false"]),
        ("Turn the Reminder switch on", ["Checkbox Reminder=true"]),
        ('Select the checkbox "Gift wrap"', ["Checkbox Gift wrap=true"]),
        ("Authenticate with the stored login", ["Login "]),
        ("Read the name and record number", ["read name,recordNumber"]),
        (
            "Set Start time to 09:30 and End time to 17:15",
            ["TextInput Start time=09:30", "TextInput End time=17:15"],
        ),
        (
            "Enter Ada for First name and Byron for Last name",
            ["TextInput First name=Ada", "TextInput Last name=Byron"],
        ),
        ("Set the From field to 5, the To field to 7", ["TextInput From=5", "TextInput To=7"]),
        (
            "Type the following into the form: Name: Ada, City: Bonn",
            ["TextInput Name=Ada", "TextInput City=Bonn"],
        ),
        ("Type Hauptstr. 5 into the Street field", ["TextInput Street=Hauptstr. 5"]),
    ],
)
def test_other_words_for_the_same(say: str, blocks: list[str]) -> None:
    assert said(say) == blocks


@pytest.mark.parametrize(
    "say",
    [
        'Send a mail to a@b.example, subject "Done", text "All in"',
        'Send an email with the subject "Done" to a@b.example and the message "All in"',
        'Email a@b.example with the text "All in" and the subject "Done"',
        'Send a@b.example an email, subject: "Done", body: "All in"',
    ],
)
def test_the_parts_of_a_mail_stand_in_any_order(say: str) -> None:
    assert said(say) == ["mail a@b.example Done: All in"]


@pytest.mark.parametrize(
    "say",
    [
        'Send a mail to a@b.example, subject "Done", subject "Ready"',
        'Send a mail with the subject "Done"',
        "Send a mail to a@b.example, subject , text",
    ],
)
def test_a_mail_with_a_part_twice_or_without_a_recipient_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        (
            "Read the total and the limit. If the total is above the limit, click Stop",
            ["read total,limit", "If blocks.Extract_1.total > blocks.Extract_1.limit [click Stop]"],
        ),
        (
            "Read the order total and the invoice total; if they differ, stop",
            [
                "read orderTotal,invoiceTotal",
                "FailOnCondition blocks.Extract_1.orderTotal != blocks.Extract_1.invoiceTotal",
            ],
        ),
        (
            "Read the code. Type what you just read into the Code field",
            ["read code", "TextInput Code={{blocks.Extract_1.code}}"],
        ),
        (
            "Read the name of every supplier. For each of them, type the name into the Search box",
            ["read rows name", "loop items [TextInput Search={{item.name}}]"],
        ),
        ("Read the date of every invoice on all pages", ["loop pages [read rows date]"]),
        ("Click More until it is gone, at most 20 times", ["loop while at most 20 [click More]"]),
        ('Make sure the page says "Paid"; if not, click Pay', ["If Paid hidden [click Pay]"]),
        ('Make sure the page says "Paid". If not, stop.', ["WaitForCondition Paid visible"]),
        ('The page must say "Paid"; otherwise stop', ["WaitForCondition Paid visible"]),
        ("Should the Continue button be visible, click it", ["If Continue visible [click Continue]"]),
    ],
)
def test_what_was_said_before_can_be_referred_to(say: str, blocks: list[str]) -> None:
    assert said(say) == blocks


@pytest.mark.parametrize(
    "say",
    [
        "If they differ, stop",
        "Read the total. If they differ, stop",
        "Type what you just read into the Code field",
        "For each of them, click Save",
        "Click More at most 5 times",
        "Click Next on every page",
        "Take the bus from the station",
        "Complete the order with PayPal",
        "Read the date of every invoice on zebra pages",
    ],
)
def test_a_reference_to_nothing_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


def test_a_column_is_looked_up_by_its_words() -> None:
    [block] = read_instructions('Drag "Ticket 12" to the column "Done"')
    assert block["data"]["toLocator"] == {"words": 'the column "Done"'}
