"""Words on controls: what cannot be undone, and what changes something at all."""

import pytest

from pagehand.workflow.effect_words import is_risky, promises_effect


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


@pytest.mark.parametrize(
    "said",
    ["Pay", "Save draft", "Approve", "saveClaim", "Yes", "Accept the offer", "Sign the form", "Speichern"],
)
def test_what_sends_or_saves_promises_an_effect(said: str) -> None:
    assert promises_effect(said)


@pytest.mark.parametrize(
    "said", ["Sign in", "Log in", "Accept all", "Accept cookies", "Next page", "Details", "Search", "Saved"]
)
def test_what_leads_on_promises_none(said: str) -> None:
    assert not promises_effect(said)
