"""When a likeness is enough to act on, and when it is not."""

import pytest

from pagehand.browser.healing import Thresholds
from pagehand.browser.healing.decide import Decision, FrameRanking, RankedCandidate, decide
from pagehand.records import Fingerprint


def report(
    *scores: float, name: str = "Save", rival: float | None = 2.0, itself: float = 16.0
) -> FrameRanking:
    best = [
        RankedCandidate(score=score, seen={"name": 1.0}, tag="button", role="button", name=name, rival=rival)
        for score in scores[:3]
    ]
    return FrameRanking(count=len(scores), itself=itself, scores=list(scores), best=best)


def judge(*reports: FrameRanking, was: str = "Save", is_commit: bool = False) -> Decision:
    return decide(Fingerprint(name=was), reports, Thresholds(), is_commit=is_commit)


def test_a_clear_winner_is_taken_with_its_numbers() -> None:
    decision = judge(report(14.0, 5.0, 4.0))
    assert (decision.frame, decision.reason) == (0, "")
    facts = decision.facts.as_json()
    assert facts.pop("p1") > 0.99
    assert facts.pop("p2") < 0.01
    assert facts == {
        "gap": 12.0,
        "candidates": 3,
        "top": [{"role": "button", "name": "Save", "score": score} for score in (14.0, 5.0, 4.0)],
        "features": {"name": 1.75},
    }


def test_an_element_without_neighbours_has_an_unknown_gap() -> None:
    assert judge(report(14.0, rival=None)).facts.as_json()["gap"] is None


def test_where_nothing_is_of_its_kind_only_that_is_known() -> None:
    assert judge(report()).facts.as_json() == {"candidates": 0}


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (report(5.0, 3.0), "nothing is enough like it"),
        (report(14.0, 14.0), "nothing tells them apart"),
        (report(14.0, 5.0, rival=13.5), "like a neighbour"),
        (report(14.0, 5.0, name="Delete all"), "hard to undo"),
        (report(), "nothing of its kind"),
    ],
)
def test_doubt_is_a_refusal_with_its_reason(seen: FrameRanking, reason: str) -> None:
    decision = judge(seen)
    assert decision.frame == -1
    assert reason in decision.reason


def test_commit_points_and_destructive_words_need_near_certainty() -> None:
    likely, certain = report(8.0, 3.0), report(14.0, 3.0)
    assert judge(likely).frame == 0
    assert judge(likely, is_commit=True).frame == -1
    assert judge(certain, is_commit=True).frame == 0
    send = report(8.0, 3.0, name="Send invoice")
    assert judge(send, was="Send invoice").frame == -1
    assert judge(report(14.0, 3.0, name="Send invoice"), was="Send invoice").frame == 0


def test_frames_compete_and_the_best_of_all_wins() -> None:
    assert judge(report(5.0), report(14.0)).frame == 1
    assert judge(report(14.0), report(14.0)).frame == -1
    assert judge(report(), report(14.0)).frame == 1


def test_another_name_needs_something_else_of_its_own() -> None:
    renamed = report(14.0, 3.0, name="Beta")
    renamed.best[0].seen = {"nameApart": 1.0, "near": 1.0, "far": 1.0}
    assert "nothing of its own" in judge(renamed).reason
    renamed.best[0].seen["idEqual"] = 1.0
    assert judge(renamed).frame == 0


def test_losing_the_name_altogether_is_another_name() -> None:
    nameless = report(14.0, 3.0, name="")
    nameless.best[0].seen = {"nameLost": 1.0, "classesEqual": 1.0, "tag": 1.0, "near": 1.0}
    assert "nothing of its own" in judge(nameless).reason
    nameless.best[0].seen["field"] = 1.0
    assert judge(nameless).frame == 0


def test_another_row_needs_a_name_or_address_that_is_its_own() -> None:
    moved = report(14.0, 3.0)
    moved.best[0].seen = {"name": 1.0, "rowApart": 1.0}
    assert "another row" in judge(moved).reason
    moved.best[0].seen["nameAlone"] = 1.0
    assert judge(moved).frame == 0


def test_an_element_without_rivals_may_be_healed() -> None:
    assert judge(report(14.0, rival=None)).frame == 0
