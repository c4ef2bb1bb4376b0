"""How people in offices say things: values beside their fields, bare verbs, waiting, conditions on values."""

from typing import Any

import pytest

from pagehand.instructions.grammar import NotUnderstood
from pagehand.records import Json
from support.instructions import read_instructions


def outline(say: str, **known: Any) -> list[str]:
    """Each block in a few words: its type, what it is about, and its value."""
    found: list[str] = []
    for block in read_instructions(say, **known):
        data: Json = block["data"]
        locator: Json = block.get("locator") or {}
        about = data.get("key") or next(iter(locator.values()), "")
        value = (
            data.get("value") or data.get("url") or data.get("query") or data.get("dialog", {}).get("action")
        )
        found.append(" ".join(str(part) for part in (block["type"], about, value) if part))
    return found


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        (
            "Enter the street {{params.street}} and the postcode 10115",
            ["Input street {{params.street}}", "Input postcode 10115"],
        ),
        ("Enter 5 as the width and 7 as the height", ["Input width 5", "Input height 7"]),
        ("Type the policy number {{params.policy}} into Number", ["Input Number {{params.policy}}"]),
        ("Enter today's date in the Start field", ["Input Start today"]),
        ('Answer No to "Any claims?"', ["Input Any claims? No"]),
        ("Click the button Search in the tab Documents", ["Mouse the button Search in the tab Documents"]),
        ("Write 5 in the field MRN", ["Input MRN 5"]),
        ("Make sure the News checkbox is not ticked", ["Input News false"]),
        ("Type Ada into the Name field and save", ["Input Name Ada", "Mouse Save"]),
        ("Open Settings, then Billing", ["Mouse Settings", "Mouse Billing"]),
        ("Go to Reports > Sales > Monthly", ["Mouse Reports", "Mouse Sales", "Mouse Monthly"]),
        ("Right-click Budget and choose Rename", ["Mouse Budget", "Mouse Rename"]),
        ("Click Delete and accept the confirmation dialog", ["Mouse Delete accept"]),
        ("Submit the request by clicking Send", ["Mouse Send"]),
        ("Search for {{params.name}} in the search box", ["Search {{params.name}}"]),
        ("Log in and click Reports", ["Login", "Mouse Reports"]),
        ('Log in to https://bank.test with the login "Bank"', ["Navigate https://bank.test", "Login"]),
        (
            "Find the row of Jane Miller and click Delete in its row",
            ["Mouse Delete in the row of Jane Miller"],
        ),
        (
            "Click Edit in the row with invoice number {{params.n}}",
            ['Mouse Edit in the row with "{{params.n}}"'],
        ),
        ("Open the supplier portal at https://a.test", ["Navigate https://a.test"]),
        ("Open the Status dropdown and pick Approved", ["Input Status Approved"]),
        ('Tick the checkboxes "Email" and "SMS"', ["Input Email true", "Input SMS true"]),
        ("Set Width = 5 and Height = 7", ["Input Width 5", "Input Height 7"]),
        ("Our treasurer wants this every month. Click Export.", ["Mouse Export"]),
        ("Every Friday we do this by hand. Click Export.", ["Mouse Export"]),
        ("We need the new tariff: open https://a.test", ["Navigate https://a.test"]),
        ("Because they want it by noon: click Export", ["Mouse Export"]),
        ("Upload the file in the parameter scan to the Proof field", ["Input Proof {{params.scan}}"]),
        ("Switch to the tab whose address contains billing", ["Navigate"]),
        ("Click New. The browser will ask for a name, type X there and confirm", ["Mouse New accept"]),
        ("Search the web for pumps, only on a.test", ["SearchAndNavigate pumps"]),
        ("Hover the Fleet menu and choose Calendar", ["Hover Fleet", "Mouse Calendar"]),
        (
            "Click Edit in the row of A-1 and click Save there",
            ["Mouse Edit in the row of A-1", "Mouse Save in the row of A-1"],
        ),
        ("Open Files and click Upload there", ["Mouse Files", "Mouse Upload"]),
        ("Once you have clicked Save, click Next", ["Mouse Save", "Mouse Next"]),
        (
            "After ticking I have read the terms, click Next",
            ["Input I have read the terms true", "Mouse Next"],
        ),
        ("Tick I have read and accept the terms", ["Input I have read and accept the terms true"]),
        ("Fuel: choose Diesel. Name: type Ada.", ["Input Fuel Diesel", "Input Name Ada"]),
        ("Name: Ada, City: Oslo", ["Input Name Ada", "Input City Oslo"]),
        ("See to it that the Terms checkbox is ticked", ["Input Terms true"]),
        ("Go back one page and refresh it", ["CodeV2", "CodeV2"]),
        (
            'For "Smoker?" answer No, for "Alarm fitted?" answer Yes, then click Quote',
            ["Input Smoker? No", "Input Alarm fitted? Yes", "Mouse Quote"],
        ),
        (
            "Copy the permit fee into the Amount field",
            ["Extract", "Input Amount {{blocks.Extract_1.permitFee}}"],
        ),
        (
            "Username is {{params.u}} and password is {{params.p}}",
            ["Input Username {{params.u}}", "Input password {{params.p}}"],
        ),
        (
            "Fill in the form:\nWidth = 5\nHeight: 7\nThen submit",
            ["Input Width 5", "Input Height 7", "Mouse Submit"],
        ),
        ("Under Documents, click Upload", ["Mouse Upload under Documents"]),
        ("In the Documents section click Upload", ["Mouse Upload in the Documents section"]),
        ('Find "Invoice 4711" in the list and open it', ["Mouse Invoice 4711"]),
        ("Click on the name {{params.name}}", ["Mouse {{params.name}}"]),
        ("Change the status of order 1001 to Shipped", ["Input status of order 1001 Shipped"]),
        ("Open the user menu and log out", ["Mouse the user menu", "Mouse Log out"]),
        ("Go to the website https://a.test", ["Navigate https://a.test"]),
        ("Open the record of {{params.name}}", ["Mouse the record of {{params.name}}"]),
        ("Select May in the Month dropdown and 5 in the Day dropdown", ["Input Month May", "Input Day 5"]),
        ('Ensure "News" is off', ["Input News false"]),
        ("Click Export and wait until the file is downloaded", ["DownloadFile Export"]),
        ("First click Start, next click Notifications", ["Mouse Start", "Mouse Notifications"]),
    ],
)
def test_what_is_said_in_an_office_is_read(say: str, blocks: list[str]) -> None:
    assert outline(say, logins={"Bank": "login_1"}) == blocks


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ("Choose next Friday as the pick-up date", ["Input pick-up date next Friday"]),
        ("Select Friday for the due date", ["Input due date Friday"]),
        ("Pick the pickupDate as Day", ["Input Day {{params.pickupDate}}"]),
        ("Choose 14:30 as the start time", ["Input start time 14:30"]),
        ("Pick the contractFile as the attachment", ["Input attachment {{params.contractFile}}"]),
        ("Choose 250 for the amount", ["Input amount 250"]),
    ],
)
def test_what_is_said_to_be_no_option_is_not_chosen_from_a_list(say: str, blocks: list[str]) -> None:
    known: dict[str, Any] = {"parameters": ("pickupDate", "contractFile")}
    assert outline(say, **known) == blocks
    types = {block["data"].get("inputType") for block in read_instructions(say, **known)}
    assert "Dropdown" not in types


@pytest.mark.parametrize(
    "say",
    [
        "Select 3 in the Quantity dropdown",
        "Select 12 March 2026 from the Date list",
        "Choose Short as the date format",
        "Choose Monday as the first day of the week",
        "Choose Last month as the period",
    ],
)
def test_an_option_that_looks_like_a_number_or_a_date_is_chosen(say: str) -> None:
    [block] = read_instructions(say)
    assert block["data"]["inputType"] == "Dropdown"


@pytest.mark.parametrize("say", ["Choose Express as the delivery date", "Choose 5 March 2026 as the amount"])
def test_an_option_that_its_label_rules_out_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        (
            "Fill in Street with the street and City with the city",
            ["Input Street {{params.street}}", "Input City {{params.city}}"],
        ),
        ("Type city into City", ["Input City {{params.city}}"]),
        ("Right-click Budget and choose Rename from the context menu", ["Mouse Budget", "Mouse Rename"]),
        ("Open the File menu and choose Print from it", ["Mouse File", "Mouse Print"]),
        ("Scroll down to the comments", ["Mouse the comments"]),
        ("Clear the Note field and type Paid instead", ["Input Note Paid"]),
        ("Delete what is in the Note field and write 250 instead", ["Input Note 250"]),
        ("Look up 'pump 44' with the search on this page", ["Search pump 44"]),
        ("Search the site for returns", ["Search returns"]),
        ("Download the list with the Export link and call it a.pdf", ["DownloadFile link"]),
        ("Save this page as a PDF in landscape, named a.pdf", ["SaveAsPdf"]),
        ("Save this page as a PDF, a.pdf", ["SaveAsPdf"]),
        ("Unzip the archive", ["UnzipFile"]),
        (
            "Click Export, save the file as a.pdf and mail it to recipient",
            ["DownloadFile Export", "SendEmail"],
        ),
    ],
)
def test_what_people_say_in_passing_is_read(say: str, blocks: list[str]) -> None:
    assert outline(say, parameters=("street", "city", "archive", "recipient")) == blocks


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ("Select the radio button Female under Gender", ["Input Gender Female"]),
        ("Klick on Save", ["Mouse Save"]),
        (
            "When the captcha comes up, let somebody solve it, then click Go",
            ["WaitForCaptchaSolve", "Mouse Go"],
        ),
        ("If there is no Skip link, just continue, otherwise press it. Click Go", ["If", "Mouse Go"]),
        ("If you see a Skip link, press it, otherwise go on", ["If"]),
    ],
)
def test_what_else_people_say_in_passing_is_read(say: str, blocks: list[str]) -> None:
    assert outline(say) == blocks
    [*branches] = [block["sequenceData"] for block in read_instructions(say) if block["type"] == "If"]
    assert [(len(one["trueSequence"]), one["falseSequence"]) for one in branches] == [(1, [])] * len(branches)


@pytest.mark.parametrize(
    ("say", "data"),
    [
        ("Unzip the scan and only keep the PDF files", {"pattern": "*.pdf"}),
        ("Remove the first and the last page from the scan", {"pages": "1,-1"}),
        ("Remove page 1 and pages 3 to 5 of the scan", {"pages": "1,3-5"}),
    ],
)
def test_files_of_an_archive_and_pages_of_a_document_may_be_several(say: str, data: Json) -> None:
    [block] = read_instructions(say, parameters=("scan",))
    assert block["data"] == {"file": "{{params.scan}}", **data}


@pytest.mark.parametrize(
    "say", ["GET https://a.test/x and remember the response", "Read the uploaded contract and click Next"]
)
def test_what_does_not_stand_on_the_page_is_not_read_from_it(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


def test_a_web_search_may_keep_to_one_site() -> None:
    [block] = read_instructions("Search the web for pumps on example.com and open the first hit")
    assert block["data"] == {"query": "pumps", "site": "example.com", "pick": {"index": 0}}


def test_a_file_that_a_step_or_a_parameter_may_give_is_refused() -> None:
    with pytest.raises(NotUnderstood, match=r"params\.archive"):
        read_instructions("Download https://a.test/a.zip and unzip the archive", parameters=("archive",))


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ("Wait for the page to load and click Next", ["Mouse Next"]),
        ("Once it's loaded, click Next", ["Mouse Next"]),
        (
            "Click Find, wait for the results and click the first result",
            ["Mouse Find", "Mouse the first result"],
        ),
        ("When the dialog appears, click OK", ["WaitForCondition", "Mouse OK"]),
    ],
)
def test_a_wait_is_left_to_the_block_that_makes_it_anyway(say: str, blocks: list[str]) -> None:
    assert outline(say) == blocks


@pytest.mark.parametrize(
    "say", ["Wait for the page to load", "Click Find, wait for the results and take a screenshot"]
)
def test_a_wait_that_no_block_makes_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


def test_a_condition_on_what_the_page_says_reads_it_first() -> None:
    extract, branch = read_instructions("If the balance is below 50, click Top up")
    assert extract["data"]["schema"]["properties"] == {"balance": {"type": "number"}}
    assert branch["data"]["condition"] == {"expression": "blocks.Extract_1.balance < 50"}


def test_what_must_hold_is_waited_for_or_compared() -> None:
    [wait] = read_instructions('Make sure the page shows "Paid"')
    assert wait["type"] == "WaitForCondition"
    _, failing = read_instructions("Verify that the total is 99.90 EUR")
    assert failing["data"]["condition"] == {"expression": "not (blocks.Extract_1.total == 99.90)"}


@pytest.mark.parametrize(
    "say",
    [
        "For each row in the table, read the name and the total",
        "Read the table with the columns name and total",
        "Give me a list of all orders with name and total",
    ],
)
def test_what_is_read_of_every_row_is_one_reading(say: str) -> None:
    [block] = read_instructions(say)
    assert block["data"]["schema"]["type"] == "array"
    assert list(block["data"]["schema"]["items"]["properties"]) == ["name", "total"]


def test_a_round_is_skipped_where_a_condition_says_so() -> None:
    [loop] = read_instructions('For each order in {{params.orders}}: if the page shows "Paid", skip it')
    assert [block["type"] for block in loop["sequenceData"]["sequence"]] == ["Next"]


def test_a_round_that_is_skipped_leaves_out_what_is_done_otherwise() -> None:
    [loop] = read_instructions(
        'For each name in {{params.names}}, search for it; if "No" is shown, skip it; otherwise read the age'
    )
    assert [block["type"] for block in loop["sequenceData"]["sequence"]] == ["Search", "Next", "Extract"]


def test_a_question_and_what_to_do_if_so_are_one_condition() -> None:
    [branch] = read_instructions('Check if "Sold out" is shown. If so, click Back. If not, click Buy.')
    assert [block["type"] for block in branch["sequenceData"]["falseSequence"]] == ["Mouse"]


def test_an_empty_field_is_a_condition() -> None:
    [branch] = read_instructions("If the IBAN field is empty, type 5 into it")
    assert branch["data"]["condition"]["state"] == "valueEquals"


def test_values_may_be_listed_below_what_is_read() -> None:
    [block] = read_instructions("Read the following values:\n- order number\n- total as a number")
    assert block["data"]["prompt"] == "order number, total as a number"
    assert list(block["data"]["schema"]["properties"]) == ["orderNumber", "total"]


def test_a_part_of_the_item_may_be_written_with_a_point() -> None:
    [loop] = read_instructions("For every line in {{params.lines}} enter line.article into Article")
    assert loop["sequenceData"]["sequence"][0]["data"]["value"] == "{{item.article}}"


def test_steps_may_be_repeated_now_and_then_until_something_is_shown() -> None:
    [loop] = read_instructions('Click Refresh every 10 seconds until "Done" is shown')
    assert [block["type"] for block in loop["sequenceData"]["sequence"]] == ["Mouse", "Wait"]


def test_what_was_read_or_downloaded_can_be_mailed() -> None:
    read, mail = read_instructions("Read the total and email it to a@b.test")
    assert mail["data"]["body"] == f"{{{{blocks.{read['blockReferenceId']}.total}}}}"
    file, mail = read_instructions("Take a screenshot and send it to a@b.test")
    assert mail["data"]["attachments"] == f"{{{{blocks.{file['blockReferenceId']}}}}}"


@pytest.mark.parametrize(
    "say",
    [
        "Click save and continue",
        "Click Save, Cancel",
        "Click Delete in its row",
        "Open Excel",
        "Type invoice {{params.number}} into Search",
        "Search for invoice {{params.number}}",
        "Tell me a joke",
        "Collapse the sidebar",
        "Upload {{params.file}} to {{params.folder}}",
        "If the invoice is Overdue, click Remind",
        "For each row in the table, click Approve",
        "Type Ada into Username and log in",
        "Accept the dialog",
        "Choose the date 3 March 2026 in the calendar",
        "Mark the first three rows",
        "Switch to the second tab",
        "I need the report by Friday",
        "Show me the way",
        "Check the status of order 1001",
        "Update the status to Done in the spreadsheet",
        "Open the attachment of the last e-mail",
        "Open Monday's report",
        "Wait for Anna's approval",
        'When the page shows "Sold out", click Back',
        "Accept the cookies",
        "Log out when you are finished",
        "I need this as a PDF. Click Export.",
        "We need this for each supplier. Click Export.",
        "Our auditor wants this in PDF format. Click Export.",
        "The Edit dialog: click Save",
        "Press the button I showed you",
        "Copy the file into the Documents field",
        "Click Orders and refresh it",
        "Click Save there",
        "Priority: set by the manager",
        "Password is required",
        "Click New. The browser will ask for a name, type X and cancel",
        "Search the web for pumps, only in German",
        "Read the list Price with tax",
        "As long as Next is enabled, read the name of each row. Then click Next.",
        'For "Smoker?" answer Yes or No',
    ],
)
def test_what_could_mean_two_things_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)
