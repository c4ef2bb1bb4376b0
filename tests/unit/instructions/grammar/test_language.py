"""The words around the steps: other languages, quotes of every kind, courtesies, lists, slips, negation."""

import pytest

from pagehand.instructions.grammar import NotUnderstood
from pagehand.instructions.grammar.literals import Literals
from pagehand.instructions.grammar.names import camel, match_parameter, plural
from pagehand.instructions.grammar.politeness import (
    ends_with_polite_words,
    is_filler,
    strip_lead_in,
    strip_polite_tail,
)
from pagehand.instructions.grammar.sentences import split_sentences
from pagehand.page.phrases.typos import correct_typo
from support.instructions import read_instructions


@pytest.mark.parametrize(
    "say",
    [
        "Klicke auf Speichern",
        "Öffne https://example.com",
        "Nicht klicken",
        "Cliquez sur Enregistrer",
        "Haz clic en Guardar",
        "No hagas clic en Guardar",
        "Clicca su Salva",
        "Нажмите Сохранить",
        "点击 保存",
        "保存をクリック",
        "اضغط حفظ",
    ],
)
def test_an_instruction_in_another_language_is_refused_whole(say: str) -> None:
    with pytest.raises(NotUnderstood, match="no step begins like this"):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "name"),
    [
        ("Click Speichern", "Speichern"),
        ("Click Gespeicherte Aufträge", "Gespeicherte Aufträge"),
        ("Click 保存", "保存"),
        ("Click Сохранить", "Сохранить"),
        ('Click "Guardar y salir"', "Guardar y salir"),
        ("Click “Save and close”", "Save and close"),
        ("Click \u2018Save\u2019", "Save"),
        ("Click 'Don't ask again'", "Don't ask again"),
        ("Click «Enregistrer et fermer»", "Enregistrer et fermer"),
        ("Click »Speichern und schließen«", "Speichern und schließen"),
        ("Click „Speichern und schließen“", "Speichern und schließen"),
        ("Click „Zapisz i zamknij”", "Zapisz i zamknij"),
        ("Click \u201aSpeichern\u2018", "Speichern"),
        ("Click 「保存 or 閉じる」", "保存 or 閉じる"),
        ("Click `Save`", "Save"),
    ],
)
def test_a_name_may_be_in_any_language_and_in_its_quotes(say: str, name: str) -> None:
    [block] = read_instructions(say)
    assert block["locator"] == {"text": name}


@pytest.mark.parametrize(
    "say", ['Click "Save', 'Click Save"', 'Type "a into the b field', "Type 5” into Size", "Click „Save"]
)
def test_a_quotation_mark_without_its_partner_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood, match="has no partner"):
        read_instructions(say)


@pytest.mark.parametrize(
    "say",
    [
        "Do not click Save",
        "Don't click Save",
        "Please don't click Save",
        "Never click Delete",
        "Click Save, but not Delete",
        "Click Save without saving",
        "Click everything except Delete",
        "Click Cancel instead of Save",
        "Click neither Save nor Delete",
        "Avoid clicking Delete",
        "This is not for the finance team. Click Save.",
        "Go to https://example.com but don't accept cookies",
        "Type Ada into Name, not Bo",
    ],
)
def test_what_must_not_be_done_makes_no_block(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    ("say", "filled"),
    [
        ("Fill in Start time: 09:30, End time: 17:15", {"Start time": "09:30", "End time": "17:15"}),
        ("Fill in Qty:5 and Amount: 1,250.00", {"Qty": "5", "Amount": "1,250.00"}),
        ("Set Start to 9:30", {"Start": "9:30"}),
        ("Set Departure to 9:30 and Return to 10:15", {"Departure": "9:30", "Return": "10:15"}),
        ("Fill Start 09:30 and End 17:15", None),
        ("Enter Time 10:30", None),
        ("Fill in the form:\nStart 09:30\nEnd 17:15", None),
    ],
)
def test_times_and_amounts_are_single_words(say: str, filled: dict[str, str] | None) -> None:
    if filled is None:
        with pytest.raises(NotUnderstood):
            read_instructions(say)
    else:
        blocks = read_instructions(say)
        assert {block["data"]["key"]: block["data"]["value"] for block in blocks} == filled


@pytest.mark.parametrize(
    "say",
    [
        "Click Refresh continuously",
        "Click Next over and over",
        "Press Save straight away",
        "Open Invoices eventually",
    ],
)
def test_how_something_is_done_is_no_part_of_a_name(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)


@pytest.mark.parametrize(
    "say",
    [
        "Hi there, could you please click Save? Thanks!",
        "This is for the finance team. Click Save.",
        "I'd like you to click Save, please",
        "OK, now just click Save",
        "Dear all,\nclick Save.\nBest regards",
        "We run this every week. First, click Save.",
        "Make sure to click Save",
        "Clikc Save",
        "clck Save",
        "- click Save",
        "1) click Save",
        "Step 1: click Save",
        "Do the following:\n- click Save",
    ],
)
def test_courtesies_lists_and_slips_change_nothing(say: str) -> None:
    [block] = read_instructions(say)
    assert (block["type"], block["locator"]) == ("Mouse", {"text": "Save"})


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Click A. Click B!", ["Click A", "Click B"]),
        ("Click A\n\nClick B", ["Click A", "Click B"]),
        ("1. Click A 2. Click B", ["Click A", "Click B"]),
        ("1. Click A 3. Click B", ["Click A 3", "Click B"]),
        ("Click No. 5", ["Click No. 5"]),
        ("Click A; then click B", ["Click A", "click B"]),
        ("a) Click A\nb) Click B", ["Click A", "Click B"]),
        ("Thanks a lot!", []),
    ],
)
def test_a_message_is_cut_into_sentences(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


def test_what_is_indented_under_a_colon_belongs_to_it() -> None:
    first, second = split_sentences("If A is shown:\n  - Click B\n  - Click C\nClick D")
    assert [sentence.text for sentence in first.nested] == ["Click B", "Click C"]
    assert (second.text, second.nested) == ("Click D", [])


@pytest.mark.parametrize(
    ("sentence", "idle"),
    [
        ("Thank you very much", True),
        ("This is for the finance team", True),
        ("We use it every day", True),
        ("This is for Ann and click Save", False),
        ("This is for Ann, so never save", False),
        ("Thanks for clicking Save", False),
        ("", True),
    ],
)
def test_only_what_ties_to_no_step_is_passed_over(sentence: str, idle: bool) -> None:
    assert is_filler(sentence) is idle


def test_courtesies_are_taken_off_the_ends_alone() -> None:
    assert strip_lead_in("Hello team, could you please click Please, thanks") == "click Please"
    assert strip_polite_tail("Save please?") == "Save"
    assert strip_polite_tail("please") == "please"
    assert ends_with_polite_words("hello thanks!")
    assert not ends_with_polite_words("thanks to all")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("clikc", "click"),
        ("clck", "click"),
        ("cliick", "click"),
        ("clicks", None),
        ("slect", "select"),
        ("click", None),
        ("cl", None),
        ("zebra", None),
    ],
)
def test_a_slip_of_one_letter_is_mended_where_one_word_is_meant(typed: str, meant: str | None) -> None:
    assert correct_typo(typed, frozenset(("click", "select", "open"))) == meant


def test_a_slip_that_could_be_two_words_is_not_mended() -> None:
    assert correct_typo("cost", frozenset(("cast", "coat"))) is None


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("order number", "orderNumber"),
        ("the customer's name", "theCustomerName"),
        ("orderNo", "orderNo"),
        ("SKU", "sku"),
        ("Total", "total"),
        ("unit price (net)", "unitPriceNet"),
    ],
)
def test_words_become_one_name(words: str, name: str) -> None:
    assert camel(words) == name


def test_words_without_a_letter_are_not_a_name() -> None:
    with pytest.raises(NotUnderstood, match="needs letters"):
        camel("保存")


@pytest.mark.parametrize(
    ("word", "more"),
    [("order", "orders"), ("box", "boxes"), ("branch", "branches"), ("city", "cities"), ("day", "days")],
)
def test_more_than_one_of_it(word: str, more: str) -> None:
    assert plural(word) == more


def test_a_parameter_is_found_however_it_is_written() -> None:
    assert match_parameter("orderNumber", ["order_number"], written="x") == "order_number"
    assert match_parameter("order", ["Orders"], written="x") == "Orders"
    assert match_parameter("anything", [], written="x") == "anything"


def test_quotes_templates_links_and_addresses_are_put_aside_and_come_back() -> None:
    literals = Literals()
    text = 'Type "a, then b" to x@y.example at https://example.com/a.b, and {{params.n}}.'
    masked = literals.mask(text)
    assert [token.kind for token in literals.tokens] == ["quoted", "email", "url", "template"]
    assert literals.as_written(masked) == text
    assert literals.unmask(masked) == text.replace('"', "")
    assert masked.endswith(".")


def test_a_stand_in_that_the_user_wrote_is_dropped() -> None:
    literals = Literals()
    assert literals.mask("click \ue000Save") == "click Save"
    assert literals.token("\ue000") is None
