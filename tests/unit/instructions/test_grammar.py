"""What the grammar makes of words, what it refuses, and what it says then."""

from typing import ClassVar

import pytest

from pagehand.blocks import kinds
from pagehand.instructions.grammar import Grammar, NotUnderstood, Output
from pagehand.records import Json
from pagehand.workflow.parse import parse_blocks
from support.instructions import GRAMMAR, read_instructions


class OnePage:
    """A page on which the words of one element are known."""

    def __init__(self, words: str, locator: Json) -> None:
        self._words = words
        self._locator = locator

    def find(self, words: str, target: str, /) -> Json | None:
        return self._locator if (words, target) == (self._words, "control") else None


@pytest.mark.parametrize("say", [say for sentences in GRAMMAR.examples.values() for say in sentences])
def test_every_documented_sentence_gives_valid_blocks(say: str) -> None:
    assert parse_blocks(read_instructions(say), kinds())


@pytest.mark.parametrize(
    ("say", "words"),
    [
        ("Click Submit and juggle three balls", "juggle three balls"),
        ("Click the cheapest flight", "cheapest"),
        ("Type my name into the Name field", "my"),
        ("Wait 2 seconds, then click Save without closing", "without"),
        ("Click Yes or No", "or"),
        ("If it feels right, click Save", "it feels right"),
    ],
)
def test_a_refusal_names_the_words_that_were_not_understood(say: str, words: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        read_instructions(say)
    assert words in refused.value.words
    assert refused.value.words in say


def test_a_parameter_is_one_that_the_workflow_declares() -> None:
    [block] = read_instructions(
        "Type the order number from the parameters into Order", parameters=["Order_Number", "customers"]
    )
    assert block["data"]["value"] == "{{params.Order_Number}}"
    [loop] = read_instructions(
        "For each customer in the parameters, click Add", parameters=["Order_Number", "customers"]
    )
    assert loop["data"]["over"] == {"items": "{{params.customers}}"}


def test_a_parameter_that_is_not_declared_is_refused_with_those_that_are() -> None:
    with pytest.raises(NotUnderstood, match="`city`"):
        read_instructions("Type the street from the parameters into Street", parameters=["city"])


def test_an_element_described_by_its_place_is_looked_up_at_every_run() -> None:
    seen = {"role": "link", "text": "Desk lamp"}
    [block] = read_instructions("Click the second result", pages=OnePage("the second result", seen))
    assert block["locator"] == {"words": "the second result"}


def test_an_element_described_by_its_place_must_be_on_the_pages_seen() -> None:
    with pytest.raises(NotUnderstood, match="the third result"):
        read_instructions("Click the third result", pages=OnePage("the second result", {"text": "x"}))


def test_a_name_that_no_page_has_is_still_a_name() -> None:
    [block] = read_instructions("Click the Save button", pages=OnePage("the second result", {"text": "x"}))
    assert block["locator"] == {"role": "button", "text": "Save"}


def test_the_result_that_is_clicked_after_a_search_on_the_web_is_the_one_it_opens() -> None:
    [block] = read_instructions("Search the web for Ada Lovelace, then click the second result")
    assert block["data"] == {"query": "Ada Lovelace", "pick": {"index": 1}}


def test_a_stored_login_is_meant_by_its_name() -> None:
    logins = {"Vendor portal": "login_77", "Twice": ""}
    for say in ('Log in with the stored login "vendor portal"', "Sign in using the Vendor portal login"):
        [block] = read_instructions(say, logins=logins)
        assert block["data"] == {"loginId": "login_77", "isParameter": False}
    with pytest.raises(NotUnderstood, match=r"`Vendor portal`"):
        read_instructions('Sign in with the login "Other"', logins=logins)
    with pytest.raises(NotUnderstood, match="several"):
        read_instructions('Sign in with the login "Twice"', logins=logins)


def test_the_results_are_what_the_one_step_before_puts_out() -> None:
    say = "Post the results to https://example.com/hook"
    there = [Output("Extract_1", "data"), Output("SaveAsPdf_1", "file"), Output("Extract_2", None)]
    [block] = read_instructions(say, existing=there)
    assert block["data"]["data"] == "{{blocks.Extract_1}}"
    extract, post = read_instructions(f"Extract the total. {say}", existing=there)
    assert extract["blockReferenceId"] == "Extract_3"
    assert post["data"]["data"] == "{{blocks.Extract_3}}"


def test_a_refusal_says_what_was_understood_before_and_never_quotes_nothing() -> None:
    with pytest.raises(NotUnderstood, match=r"Understood before it: `Click A`, `Wait 2 seconds`"):
        read_instructions("Click A. Wait 2 seconds, then juggle")
    with pytest.raises(NotUnderstood, match=r"^The instruction was not understood: it has no step"):
        read_instructions(" \n ")


def test_words_in_quotes_are_taken_as_they_are() -> None:
    [block] = read_instructions('Type "do not click, or maybe then wait 2 seconds." into the "it" field')
    assert block["data"]["value"] == "do not click, or maybe then wait 2 seconds."
    assert block["data"]["key"] == "it"


def test_what_is_typed_into_a_password_field_is_not_in_the_name_of_its_block() -> None:
    [block] = read_instructions("Type hunter2 into the Password field")
    assert block["data"]["inputType"] == "SensitiveTextInput"
    assert "hunter2" not in block["name"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "say",
    [
        "click a and " * 300 + "juggle",
        "type a into b " * 200,
        "if " * 1000,
        "extract " + "a, " * 1000,
        "{{" * 1500,
        '"' * 3999,
        "click " + "x" * 3900,
        "x" * 1_000_000,
        "send an email to " + "a and subject " * 200,
    ],
)
def test_no_text_takes_long_to_read(say: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        read_instructions(say)
    assert len(refused.value.message) < 10_000


class Ring:
    """A kind of an outside package."""

    type: ClassVar[str] = "Ring"
    sentences: ClassVar[str] = "support.instructions:RINGING"
    output_kind: ClassVar[None] = None


def test_a_kind_is_instructed_with_the_sentences_it_declares() -> None:
    grammar = Grammar([*kinds(), Ring])
    ring, click = grammar.read("Ring Ada, then click Save")
    assert (ring["type"], ring["data"], click["type"]) == ("Ring", {"whom": "Ada"}, "Mouse")
    assert grammar.examples["Telephones"] == ("Ring Ada",)


def test_a_kind_that_is_not_there_cannot_be_instructed() -> None:
    grammar = Grammar([kind for kind in kinds() if kind.type != "Navigate"])
    with pytest.raises(NotUnderstood):
        grammar.read("Open https://example.com")
    with pytest.raises(NotUnderstood, match="no block kind"):
        grammar.read("Log in at https://example.com with user ada and password {{params.secret}}")
