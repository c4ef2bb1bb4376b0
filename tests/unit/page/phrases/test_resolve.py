"""Which element words mean: every word is explained, nothing else fits as well, or they are refused."""

import pytest

from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear, Snapshot, TargetKind, resolve, resolve_all
from support.page_snapshots import element, frame, page, row

FORM = page(
    element("button", "Save"),
    element("button", "Save as draft"),
    element("button", "Delete account"),
    element("button", "No thanks"),
    element("textbox", "First name"),
    element("textbox", "Last name"),
    element("textbox", "Repeat password"),
    element("link", "Change password"),
    element("checkbox", "Do not disturb"),
    element("link", "Help", landmarks=["footer"], path="#foot-help"),
    element("link", "Help", landmarks=["navigation"], path="#nav-help"),
    element("textbox", "Street", sections=["Billing address"], path="#bill"),
    element("textbox", "Street", sections=["Shipping address"], path="#ship"),
    element("button", "More", hasMenu=True),
    element("link", "Register", looksLikeButton=True),
    element("heading", "Shipping address"),
)
ORDERS = page(
    *(element("button", "Delete", row=number, path=f"#delete-{number}") for number in (1, 2, 3)),
    element("link", "Next"),
    rows=[
        row(1, "ACME-1", "Ann Lee", index=0, count=3),
        row(2, "ACME-17", "Bo Chen", index=1, count=3),
        row(3, "ACME-2", "Ann Lee", index=2, count=3),
    ],
)


def path_of(phrase: str, snapshot: Snapshot, kind: TargetKind = "control") -> str:
    return resolve(phrase, snapshot, kind).candidate.path


@pytest.mark.parametrize(
    ("phrase", "path"),
    [
        ("Save", "#button-Save"),
        ("please press the Save button", "#button-Save"),
        ("the Save link", "#button-Save"),
        ("save AS  draft", "#button-Save-as-draft"),
        ("remove account", "#button-Delete-account"),
        ("surname", "#textbox-Last-name"),
        ("first name", "#textbox-First-name"),
        ("field labelled Last name", "#textbox-Last-name"),
        ("Do not disturb", "#checkbox-Do-not-disturb"),
        ("no thanks", "#button-No-thanks"),
        ("Help in the footer", "#foot-help"),
        ("the last Help link", "#nav-help"),
        ("the second Street", "#ship"),
        ("billing street", "#bill"),
        ("Street in the billing section", "#bill"),
        ("Street under Shipping address", "#ship"),
        ("the More menu", "#button-More"),
        ("the Register button", "#link-Register"),
    ],
)
def test_words_mean_the_one_element_that_explains_them_all(phrase: str, path: str) -> None:
    assert path_of(phrase, FORM) == path


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("the blue Save button", "nothing on the page explains `blue`"),
        ("Delete", "no single element fits all of its words"),
        ("password", "no single element fits all of its words"),
        ("name", "nothing on the page explains `name`"),
        ("the first Save button", "no single element fits all of its words"),
        ("the third Street", "no single element fits all of its words"),
        ("Help in the header", "nothing on the page explains `header`"),
        ("the More checkbox", "no single element fits all of its words"),
        ("Street in the office section", "nothing on the page explains `office`"),
    ],
)
def test_a_word_that_the_page_does_not_explain_refuses_the_phrase(phrase: str, why: str) -> None:
    with pytest.raises(NotPresent) as refused:
        resolve(phrase, FORM)
    assert f"but {why}; nearest: " in refused.value.message


@pytest.mark.parametrize(
    ("phrase", "negation"),
    [
        ("the button that is not Save", "not"),
        ("Don't save", "don"),
        ("Don\u2019t save", "don"),
        ("any button except Save", "except"),
        ("Save without draft", "without"),
        ("nicht Save", "nicht"),
        ("kein Save", "kein"),
        ("Save sauf draft", "sauf"),
        ("Save sin draft", "sin"),
    ],
)
def test_words_that_say_what_is_not_meant_are_refused(phrase: str, negation: str) -> None:
    with pytest.raises(NotClear, match=f"`{negation}` says what is not meant"):
        resolve(phrase, FORM)


@pytest.mark.parametrize("phrase", ["Street", "the Street field", "Help", "the Help button"])
def test_several_that_fit_alike_are_listed_instead_of_taken(phrase: str) -> None:
    with pytest.raises(NotClear, match="could mean 2 elements"):
        resolve(phrase, FORM)


@pytest.mark.parametrize("phrase", ["", "  ", "?!", "''"])
def test_a_phrase_without_words_is_refused(phrase: str) -> None:
    with pytest.raises(NotClear, match="There are no words"):
        resolve(phrase, FORM)


def test_all_that_fit_alike_are_given_in_document_order_where_several_are_asked_for() -> None:
    found = resolve_all("Street", FORM, "control", None, one=False)
    assert [item.candidate.path for item in found] == ["#bill", "#ship"]


def test_only_the_places_allowed_may_be_meant() -> None:
    [_, second] = resolve_all("Street", FORM, "control", None, one=False)
    only = frozenset((second.candidate.key,))
    assert resolve("Street", FORM, "control", only).candidate.path == "#ship"
    with pytest.raises(NotPresent):
        resolve("Save", FORM, "control", only)


@pytest.mark.parametrize(
    "called", ["{}", "click {}", "the {} button", '"{}"', "please click {}", "now click just {}, please"]
)
@pytest.mark.parametrize("name", ["Pay", "Pay now", "Just browsing", "Please wait", "Now"])
def test_courtesy_words_that_belong_to_a_name_are_part_of_it(called: str, name: str) -> None:
    names = ("Pay", "Pay now", "Browsing", "Just browsing", "Please wait", "Now")
    buttons = page(*(element("button", each) for each in names))
    assert resolve(called.format(name), buttons).candidate.name == name


@pytest.mark.parametrize("phrase", ["just save now", "Save now, please", "now click Save"])
def test_courtesy_words_that_name_nothing_are_passed_over(phrase: str) -> None:
    assert path_of(phrase, page(element("button", "Save"))) == "#button-Save"


@pytest.mark.parametrize(
    ("phrase", "path"),
    [
        ("Delete in the row of ACME-17", "#delete-2"),
        ("Delete in the row of ACME-1", "#delete-1"),
        ("Delete ACME-2", "#delete-3"),
        ("Delete for Bo Chen", "#delete-2"),
        ("Delete in the row with 17", "#delete-2"),
        ("Delete in row 1", "#delete-1"),
        ("Delete in the second row", "#delete-2"),
        ("Delete in the last row", "#delete-3"),
        ("the 3rd Delete button", "#delete-3"),
        ("the last Delete in the row of Ann Lee", "#delete-3"),
    ],
)
def test_a_row_is_known_by_what_it_says_or_by_its_position(phrase: str, path: str) -> None:
    assert path_of(phrase, ORDERS) == path


@pytest.mark.parametrize(
    "phrase",
    [
        "Delete in row 0",
        "Delete in row 4",
        "Delete in the fourth row",
        "Delete in the 0th row",
        "Delete in the row of 3",
        "Delete in the row with second",
        "Delete in the row of ACME-3",
        "Delete in the row of ACME",
        "Delete in the row of Ann Lee",
        "Delete in row \u1369",
        f"Delete in row {'9' * 5000}",
        f"the {'9' * 5000}th Delete",
    ],
)
def test_a_row_that_is_not_there_or_not_the_only_one_is_refused(phrase: str) -> None:
    with pytest.raises((NotPresent, NotClear)):
        resolve(phrase, ORDERS)


def test_a_cell_that_shows_a_number_makes_the_number_of_a_row_unclear() -> None:
    rows = [row(1, "Nut", "2", index=0, count=2), row(2, "Bolt", "7", index=1, count=2)]
    stock = page(*(element("button", "Order", row=number) for number in (1, 2)), rows=rows)
    with pytest.raises(NotClear, match="could mean 2 elements"):
        resolve("Order in row 2", stock)
    assert resolve("Order in the row of 2", stock).candidate.row is stock.candidates[0].row


def test_the_innermost_of_nested_rows_is_meant() -> None:
    rows = [
        row(1, "Berlin", "Alexanderplatz", index=0, count=1),
        row(2, "Alexanderplatz", index=0, count=1, outer=(1,)),
    ]
    nested = page(
        element("button", "Edit", row=1, path="#city"),
        element("button", "Edit", row=2, path="#square"),
        rows=rows,
    )
    assert path_of("Edit in the row of Alexanderplatz", nested) == "#square"
    assert path_of("Edit in the row of Berlin", nested) == "#city"


def test_more_than_eight_of_a_kind_are_not_counted_without_a_name() -> None:
    letters = page(*(element("button", letter) for letter in "ABCDEFGHI"))
    with pytest.raises(NotClear, match="there are 9 of that kind to count; say what it is called"):
        resolve("the second button", letters)
    assert path_of("the second button", page(*(element("button", name) for name in "ABC"))) == "#button-B"


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("Löschen", "löschen"),
        ("Löschen", "LO\u0308SCHEN"),
        ("Straße", "strasse"),
        ("L\u2019adresse", "l'adresse"),
        ("保存", "the 保存 button"),
        ("\uff33\uff41\uff56\uff45", "save"),
        ("İptal", "iptal"),
        ("Удалить", "удалить"),
        ("हटाएं", "हटाएं"),
        ("ปิด", "the ปิด button"),
        ("\u2715", "close"),
        ("🔍", "the search button"),
    ],
)
def test_names_of_other_languages_and_signs_are_known_in_every_spelling(name: str, phrase: str) -> None:
    assert resolve(phrase, page(element("button", name), element("button", "Other"))).candidate.name == name


@pytest.mark.parametrize(("name", "phrase"), [("ปัด", "ปิด"), ("भाजी", "भेजें"), ("Loschen", "löschen")])
def test_words_that_differ_in_their_vowels_are_different_words(name: str, phrase: str) -> None:
    with pytest.raises(NotPresent):
        resolve(phrase, page(element("button", name)))


@pytest.mark.parametrize(
    ("phrase", "kind", "role"),
    [
        ("the Shipping address heading", "anything", "heading"),
        ("Status", "shown", "cell"),
        ("Country", "field", "combobox"),
        ("Country", "anything", "combobox"),
    ],
)
def test_the_kind_that_is_asked_for_decides_what_may_be_meant(
    phrase: str, kind: TargetKind, role: str
) -> None:
    assert resolve(phrase, KINDS, kind).candidate.role == role


@pytest.mark.parametrize(
    ("phrase", "kind"),
    [
        ("the Shipping address heading", "control"),
        ("Status", "control"),
        ("Status", "anything"),
        ("Stat", "shown"),
        ("Go on", "field"),
        ("Card", "anything"),
    ],
)
def test_what_is_of_another_kind_is_not_meant(phrase: str, kind: TargetKind) -> None:
    with pytest.raises(NotPresent):
        resolve(phrase, KINDS, kind)


KINDS = page(
    element("heading", "Shipping address"),
    element("cell", names=[["column", "Status"]]),
    element("combobox", "Country"),
    element("button", "Go on"),
    element("frame", "Card"),
)


def test_a_label_wins_over_the_placeholder_of_another_field() -> None:
    fields = page(
        element("textbox", "Email", source="placeholder", path="#hint"), element("textbox", "Work email")
    )
    with pytest.raises(NotClear, match="could mean 2 elements"):
        resolve("email", fields)


def test_a_name_that_nobody_sees_is_taken_but_not_for_sure() -> None:
    found = resolve("search", page(element("button", "Search", source="icon"), element("button", "Go")))
    assert (found.candidate.name, found.is_sure) == ("Search", False)
    assert resolve("Go", page(element("button", "Go"))).is_sure


def test_a_name_that_nobody_sees_loses_to_a_part_of_one_that_is_read() -> None:
    both = page(element("button", "Export", source="title"), element("button", "Export as list"))
    with pytest.raises(NotClear):
        resolve("Export", both)


def test_the_same_name_in_two_frames_is_unclear_and_a_locator_names_its_frame() -> None:
    frames = Snapshot.from_reports(
        [
            (None, frame(element("button", "Send"))),
            ("#pay", frame(element("button", "Pay"), element("button", "Send"))),
        ]
    )
    with pytest.raises(NotClear, match="could mean 2 elements"):
        resolve("Send", frames)
    locator = resolve("Pay", frames).locator
    assert (locator.role, locator.text, locator.frame) == ("button", "Pay", "#pay")


def test_a_name_that_another_name_holds_is_located_by_its_path() -> None:
    assert resolve("Save", FORM).locator.css == "#button-Save"
    assert resolve("Register", FORM).locator.text == "Register"
