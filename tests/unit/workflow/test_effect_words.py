"""Words on controls: what cannot be undone, and what changes something at all."""

import pytest

from pagehand.workflow.effect_words import is_risky, promises_effect


@pytest.mark.parametrize(
    "label",
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
def test_risky_words_are_seen_in_texts_and_names(label: str) -> None:
    assert is_risky("harmless", label)


@pytest.mark.parametrize(
    "label", ["Save", "Open the payment history", "sender", "Next", "Orders", "Resend later"]
)
def test_other_words_are_not(label: str) -> None:
    assert not is_risky(label)


@pytest.mark.parametrize(
    "label",
    ["Pay", "Save draft", "Approve", "saveClaim", "Yes", "Accept the offer", "Sign the form", "Speichern"],
)
def test_what_sends_or_saves_promises_an_effect(label: str) -> None:
    assert promises_effect(label)


@pytest.mark.parametrize(
    "label", ["Sign in", "Log in", "Accept all", "Accept cookies", "Next page", "Details", "Search", "Saved"]
)
def test_what_leads_on_promises_none(label: str) -> None:
    assert not promises_effect(label)
