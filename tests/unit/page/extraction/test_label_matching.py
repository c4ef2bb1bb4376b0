"""Labels name properties when neither says something the other does not know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.page.extraction.label_matching import (
    canonical_words,
    heading_names,
    match_label,
    tokenize_label,
)


def score(name: str, label: str, around: str = "") -> float:
    return match_label(tokenize_label(name), tokenize_label(label), canonical_words(around)).score


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("unitPrice", "Unit price (EUR):"),
        ("unit_price", "Price per unit"),
        ("orderNumber", "Order #"),
        ("orderId", "Order No."),
        ("phone", "Telephone number"),
        ("email", "E-mail"),
        ("qty", "Quantity"),
        ("zipCode", "Postal code"),
        ("guestCount", "Number of guests"),
        ("HTTPStatus", "HTTP status"),
        ("categories", "Category"),
        ("birthDate", "Date of birth"),
        ("price", "Sale price"),
        ("orderDate", "Ordered"),
        ("closingDate", "Closes"),
        ("shipped", "Shipping date"),
        ("vat", "VAT 8.1 %"),
        ("weight", "Weight kg"),
        ("distanceKm", "Distance"),
        ("dateOfBirth", "DOB"),
        ("lastName", "Surname"),
        ("yearlyFee", "Fee per year"),
        ("weeklyRent", "Rent per week"),
        ("replyDeadline", "Reply by"),
        ("dueDate", "Pay by"),
        ("amountDue", "Amount to pay"),
        ("arrivalTime", "Arrives"),
        ("areaAcres", "Area"),
        ("sender", "From"),
        ("hireDate", "Joined"),
        ("jobTitle", "Position"),
        ("lineTotal", "Amount"),
        ("moneyOut", "Debit"),
        ("reportsTo", "Manager"),
        ("sessionTitle", "Session"),
        ("invoiceNumber", "Rechnungsnr."),
        ("dueDate", "Fällig am"),
        ("unitPrice", "Prix unitaire"),
        ("invoiceNumber", "Numéro de facture"),
        ("addOns", "Add-on"),
    ],
)
def test_a_label_names_a_property_in_other_words(name: str, label: str) -> None:
    assert score(name, label) >= 0.5


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("orderDate", "Delivery date"),
        ("orderDate", "Order number"),
        ("customer", "Customer e-mail"),
        ("id", "Phone number"),
        ("deliveryDate", "Date"),
        ("total", "Number of items"),
        ("name", "Price"),
        ("order", "Ordered by"),
        ("weightKg", "Height"),
        ("arrivalTime", "Departs"),
        ("sender", "To"),
        ("add", "Add-on"),
        ("startDate", "Pay by"),
        ("total", "Subtotal"),
        ("amountDue", "Total"),
        ("title", "Position"),
        ("moneyIn", "Debit"),
        ("productName", "Description"),
        ("unitPrice", "Price"),
        ("status", "State"),
        ("invoiceNumber", "Kundennummer"),
    ],
)
def test_a_label_of_something_else_does_not(name: str, label: str) -> None:
    assert score(name, label) == 0


def test_what_stands_around_explains_what_a_label_leaves_out() -> None:
    assert score("invoiceNumber", "Number") == 0
    assert score("invoiceNumber", "Number", "Invoice") >= 0.5


def test_the_very_word_is_better_than_a_synonym_and_a_synonym_better_than_a_part() -> None:
    assert score("cost", "Cost") > score("cost", "Price") > score("cost", "Shipping price")


def test_a_type_word_may_be_missing_if_the_values_make_up_for_it() -> None:
    found = match_label(tokenize_label("customerName"), tokenize_label("Customer"), ())
    assert found.score >= 0.5
    assert found.missing_type_words == {"name"}


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_compared(name: str, label: str) -> None:
    assert 0 <= score(name, label) <= 1 or score(name, label) < 0.5


@given(
    st.lists(
        st.sampled_from(["order", "date", "price", "customer", "city"]), min_size=1, max_size=3, unique=True
    )
)
def test_camel_case_snake_case_and_words_are_the_same(words: list[str]) -> None:
    camel = words[0] + "".join(word.title() for word in words[1:])
    assert tokenize_label(camel) == tokenize_label("_".join(words)) == tokenize_label(" ".join(words).upper())


@pytest.mark.parametrize(
    ("heading", "name"),
    [("Clubs", "club"), ("Year groups 2026/27", "year group"), ("Open orders as of 14 March", "order")],
)
def test_a_heading_names_what_is_below_it(heading: str, name: str) -> None:
    assert name in heading_names(heading)
