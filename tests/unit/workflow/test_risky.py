"""Words that say: this cannot be undone."""

import pytest

from pagehand.workflow.risky import is_risky


@pytest.mark.parametrize(
    "said",
    [
        "Delete account",
        "btn-deleteAll",
        "pay_now",
        "SEND",
        "Jetzt kaufen",
        "Cancel order",
        "Konto löschen",
        "Place order",
    ],
)
def test_risky_words_are_seen_in_texts_and_names(said: str) -> None:
    assert is_risky("harmless", said)


@pytest.mark.parametrize(
    "said", ["Save", "Open the payment history", "sender", "Next", "Orders", "Resend later"]
)
def test_other_words_are_not(said: str) -> None:
    assert not is_risky(said)
