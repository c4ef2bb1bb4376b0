"""Words made comparable: spelling, meaning, invitations and plurals."""

import pytest

from pagehand.page.phrases.parsing import interpret, tokenize_phrase
from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.tokens import canonicalize, contains_tokens, normalize, strip_stop_words, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann's e-mail", ("ann", "e", "mail")),
        ("unit_price", ("unit", "price")),
        ("50 % off!", ("50", "off")),
        ("⋮", ("more",)),
        ("→ next", ("next",)),
        ("← →", ("previous", "next")),
        ("***", ()),
        ("“Quoted” हटाएं", ("quoted", "हटाएं")),
    ],
)
def test_a_text_is_its_words_and_signs_count_only_alone(text: str, words: tuple[str, ...]) -> None:
    assert tokenize(text) == words


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Please enter your e-mail", "e mail"),
        ("Choose a file", "file"),
        ("The order (required)", "order"),
        ("required", "required"),
        ("Enter", "enter"),
        ("Select all", "select all"),
        ("Vitamin a", "vitamin a"),
        ("My profile", "profile"),
    ],
)
def test_articles_and_invitations_are_not_part_of_a_name(text: str, kept: str) -> None:
    assert " ".join(strip_stop_words(tokenize(text))) == kept


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Log in", "login"),
        ("E-mail address", "email"),
        ("Date of birth", "DOB"),
        ("Telephone number", "phone"),
    ],
)
def test_spellings_of_one_word_are_the_same(one: str, other: str) -> None:
    assert normalize(tokenize(one)) == normalize(tokenize(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Remove item", "delete item"), ("Sign in", "log on"), ("Shopping basket", "cart"), ("Send", "submit")],
)
def test_words_for_one_thing_mean_the_same_but_are_spelled_differently(one: str, other: str) -> None:
    assert canonicalize(tokenize(one)) == canonicalize(tokenize(other))
    assert normalize(tokenize(one)) != normalize(tokenize(other))


@pytest.mark.parametrize(
    ("whole", "part", "does_hold"),
    [("save as draft", "as draft", True), ("save as draft", "save draft", False), ("save", "", False)],
)
def test_a_part_stands_together(whole: str, part: str, does_hold: bool) -> None:
    assert contains_tokens(tuple(whole.split()), tuple(part.split())) is does_hold


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("policies", "policy"), ("boxes", "box"), ("classes", "class"), ("branches", "branch"),
        ("orders", "order"), ("bus", "bus"), ("status", "status"), ("analysis", "analysis"),
        ("class", "class"), ("ties", "tie"), ("straßes", "straßes"),
    ],
)  # fmt: skip
def test_english_plurals_are_one_word_with_their_singular(word: str, one: str) -> None:
    assert singular(word) == one


@pytest.mark.parametrize(
    ("phrase", "quoted"),
    [
        ('the "Save" button', ["save"]),
        ("the “Save as” button", ["save", "as"]),
        ("the „Speichern“ button", ["speichern"]),
        ("the «Enregistrer» button", ["enregistrer"]),
        ("the `Save` button", ["save"]),
        ("the 'Save' button", ["save"]),
        ("the \u2018Save now\u2019 button", ["save", "now"]),
        ("Ann's button", []),
        ("Don\u2019t save", []),
    ],
)
def test_words_in_quotes_are_names(phrase: str, quoted: list[str]) -> None:
    assert [word.text for word in tokenize_phrase(phrase) if word.is_quoted] == quoted


def test_a_quoted_word_is_neither_kind_nor_place_nor_position() -> None:
    [interpretation] = interpret(tokenize_phrase('"first button in row"'))
    assert (interpretation.name, interpretation.role, interpretation.ordinal) == (
        ("first", "button", "in", "row"),
        None,
        None,
    )
    assert interpretation.contexts == ()


def test_the_number_of_readings_stays_small_however_many_relations_a_phrase_has() -> None:
    assert len(interpret(tokenize_phrase("a " + " in b" * 200))) < 5000
