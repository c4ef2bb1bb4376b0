"""Which option is meant, and what is said when there is none."""

import msgspec
import pytest

from pagehand.blocks.page.controls.options import MatchBy, Option, demand_enabled, no_such_option, place_of
from pagehand.errors import BlockFailed

COUNTRIES = ["Norway", "Sweden", "France", "Côte d'Ivoire", "Guinea", "Guinea-Bissau"]


def options(*texts: str) -> list[Option]:
    return [Option(text=text, value=f"v{at}", off=False, on=False) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("wanted", "match_by", "place"),
    [
        ("France", "text", 2),
        ("FRANCE", "text", 2),
        ("  France ", "text", 2),
        ("CÔTE D'IVOIRE", "text", 3),
        ("v1", "text", 1),
        ("Fran", "text", None),
        ("v1", "value", 1),
        ("V1", "value", None),
        ("France", "value", None),
        ("0", "index", 0),
        (" 5 ", "index", 5),
        ("6", "index", None),
        ("-1", "index", None),
        ("first", "index", None),
        ("²", "index", None),
        ("9" * 5_000, "index", None),
        ("", "index", None),
        ("Frnace", "closest", 2),
        ("Bissau", "closest", 5),
        ("guinea", "closest", 4),
        ("Germany", "closest", None),
        ("way", "closest", 0),
        ("we", "closest", 1),
        ("", "closest", None),
        ("x" * 10_000, "closest", None),
    ],
)
def test_an_option_is_found_as_it_is_asked_for(wanted: str, match_by: MatchBy, place: int | None) -> None:
    assert place_of(options(*COUNTRIES), wanted, match_by) == place


def test_two_options_equally_near_are_none() -> None:
    assert place_of(options("North Korea", "South Korea"), "Korea", "closest") is None


def test_the_exact_text_wins_over_the_same_in_another_case_and_over_a_value() -> None:
    offered = [
        Option(text="de", value="x", off=False, on=False),
        Option(text="DE", value="y", off=False, on=False),
        Option(text="Germany", value="DE", off=False, on=False),
    ]
    assert place_of(offered, "DE", "text") == 1
    assert place_of(offered, "De", "text") == 0


@pytest.mark.parametrize("match_by", ["text", "value", "index", "closest"])
def test_of_no_options_none_is_meant(match_by: MatchBy) -> None:
    assert place_of([], "0", match_by) is None


def test_a_missing_option_is_refused_with_those_there_are() -> None:
    failure = no_such_option("Spain", options("Norway", ""))
    assert str(failure) == "There is no option `Spain`; the options are: `Norway`, `v1`"
    assert 'matchBy: "closest"' in failure.diagnosis.advice


def test_a_long_list_is_cut_and_an_empty_one_reported() -> None:
    assert "`o29` and 70 more" in str(no_such_option("x", options(*(f"o{at}" for at in range(100)))))
    assert str(no_such_option("x", [])).endswith("the options are: none")


def test_a_disabled_option_is_named() -> None:
    (option,) = options("Norway")
    demand_enabled(option)
    with pytest.raises(BlockFailed, match="The option `Norway` is disabled"):
        demand_enabled(msgspec.structs.replace(option, off=True))
