"""A portal as portals are: every workflow on it is either right or red, never green and wrong."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from support.blocks import click, navigate, wait
from support.nasty_portal import NastyPortal
from support.portal import PASSWORD, RIGHT_CODE, serve_portal
from support.service import FINAL, Api, Json

ACCEPT = {"action": "accept"}


@pytest.fixture
def portal() -> Iterator[NastyPortal]:
    with serve_portal(NastyPortal()) as portal:
        assert isinstance(portal, NastyPortal)
        yield portal


def claims(portal: NastyPortal) -> Json:
    return navigate(f"{portal.url}/claims", "claims")


def press(words: str, **data: Any) -> Json:
    return {"type": "Mouse", "locator": {"words": words}, "data": {"timeoutMs": 5000, **data}}


def read(ref: str, css: str) -> Json:
    data = {"fields": {"text": {"locator": {"css": css}, "required": True}}, "timeoutMs": 5000}
    return {"type": "Extract", "blockReferenceId": ref, "data": data}


def right(done: Json) -> Json:
    assert done["status"] == "Completed", done["errorAnalysis"]
    return done["response"]


def red(done: Json, because: str) -> None:
    assert done["status"] == "Failed", done["response"]
    assert because in done["errorAnalysis"], done["errorAnalysis"]


@pytest.mark.slow
def test_a_claim_is_deleted_by_its_row_and_never_another_one(api: Api, portal: NastyPortal) -> None:
    blocks = [claims(portal), press("the Delete button in the row of ACME-02", dialog=ACCEPT)]
    right(api.run(*blocks))
    assert portal.deleted == ["ACME-02"]
    red(api.run(*blocks), "ACME-02")
    assert portal.deleted == ["ACME-02"]


@pytest.mark.slow
def test_a_delete_that_asks_is_red_unless_the_block_answers_that_very_question(
    api: Api, portal: NastyPortal
) -> None:
    delete = "the Delete button in the row of ACME-03"
    done = api.run(claims(portal), press(delete), read("after", "h1"))
    red(done, "“Delete ACME-03 for good?”")
    assert "data.dialog" in done["errorAnalysis"]
    assert done["failure"]["code"] == "DialogUnanswered"
    assert "effects" not in done["metadata"]
    other = {**ACCEPT, "messageContains": "ACME-01"}
    red(api.run(claims(portal), press(delete, dialog=other)), "contains “ACME-01”")
    assert portal.deleted == []


@pytest.mark.slow
def test_rows_of_headings_do_not_count(api: Api, portal: NastyPortal) -> None:
    output = right(api.run(claims(portal), press("the link in the first row"), read("claim", "h1")))
    assert output["claim"] == {"text": "ACME-01"}


@pytest.mark.slow
def test_a_form_in_a_frame_that_is_held_back_is_red_and_sent_once_it_is_filled(
    api: Api, portal: NastyPortal
) -> None:
    new = navigate(f"{portal.url}/new", "new")
    amount: Json = {"key": "Amount", "value": "ten"}
    submit: Json = {"submitLocator": {"role": "button", "text": "Submit claim"}}
    done = api.run(new, {"type": "Form", "data": {"fields": [amount], **submit}})
    red(done, "`Customer`: Please fill out this field.")
    assert done["failure"]["code"] == "FormNotSent"
    customer: Json = {"key": "Customer", "value": "Bob"}
    done = api.run(new, {"type": "Form", "data": {"fields": [customer, amount], **submit}})
    red(done, "`Amount`: Please match the requested format.")
    assert portal.entered == []
    filled = {"type": "Form", "data": {"fields": [customer, {**amount, "value": "10"}], **submit}}
    right(api.run(new, filled))
    assert portal.entered == [{"customer": "Bob", "amount": "10"}]


@pytest.mark.slow
def test_a_look_up_window_hands_its_choice_over_and_the_page_behind_is_current(
    api: Api, portal: NastyPortal
) -> None:
    blocks = [
        navigate(f"{portal.url}/new", "new"),
        click("button", "Look up"),
        click("button", "Ada Lovelace"),
        {"type": "Input", "data": {"key": "Amount", "inputType": "TextInput", "value": "7"}},
        click("button", "Submit claim"),
    ]
    for _ in range(3):
        right(api.run(*blocks))
    assert portal.entered == [{"customer": "Ada Lovelace", "amount": "7"}] * 3


@pytest.mark.slow
@pytest.mark.parametrize("expect", [None, "download"])
def test_an_export_in_a_new_tab_leaves_the_list_current(
    api: Api, portal: NastyPortal, expect: str | None
) -> None:
    export = click("button", "Export", **({"expect": expect} if expect else {}))
    done = api.run(claims(portal), export, read("list", "h1"))
    assert right(done)["list"] == {"text": "Claims"}
    assert [file["name"] for file in done["downloads"]["files"]] == ["claims.json"]


@pytest.mark.slow
def test_a_question_that_comes_after_the_last_block_is_red(api: Api, portal: NastyPortal) -> None:
    red(api.run(claims(portal), click("button", "Reserve")), "“Reserve the money now?”")
    red(api.run(claims(portal), click("button", "Reserve"), wait(1500)), "“Reserve the money now?”")
    assert portal.reserved == 0
    done = api.run(claims(portal), click("button", "Reserve", dialog=ACCEPT))
    right(done)
    assert portal.reserved == 1
    [effect] = done["metadata"]["effects"]
    assert effect["what"] == f"`POST {portal.url}/reserve` by `Reserve`"


@pytest.mark.slow
def test_a_session_that_has_expired_is_red_and_quoted(api: Api, portal: NastyPortal) -> None:
    portal.is_expired = True
    red(api.run(claims(portal), press("the Delete button in the row of ACME-01")), "Your session has expired")
    red(api.run(claims(portal), read("list", "h1")), "Your session has expired")


@pytest.mark.slow
def test_a_wrong_code_is_refused_though_no_form_says_so_and_the_right_one_leads_on(
    api: Api, portal: NastyPortal
) -> None:
    factor = {"username": "ada", "password": PASSWORD, "twoFactorAuthConfiguration": {"method": "SMS"}}
    fields = {
        "name": "Nasty",
        "authenticationUrl": f"{portal.url}/in",
        "homeUrl": f"{portal.url}/home",
        "loginConfiguration": factor,
    }
    login = api.call("/logins/create", fields)["login"]["id"]
    workflow = api.create("signs in", read("who", "#who"))
    execution = api.start(workflow["id"], loginId=login)["id"]
    end = time.monotonic() + 60
    while not any(
        authentication["status"] == "WaitingForCode"
        for authentication in api.get(execution)["authentications"]
    ):
        assert time.monotonic() < end
        time.sleep(0.1)
    answers = [
        api.post("/authentication/submitTwoFactorAuthCode", {"code": code, "executionId": execution}).json()
        for code in ("111111", RIGHT_CODE)
    ]
    assert [answer["success"] for answer in answers] == [False, True]
    done = api.wait_for(execution, *FINAL)
    assert right(done)["who"] == {"text": "Hello ada"}
    assert "effects" not in done["metadata"]


def test_a_blank_tab_is_not_read(api: Api) -> None:
    everything = {"type": "Extract", "data": {"fields": {"text": {"locator": {"css": "h1"}}}}}
    red(api.run(everything), "the current tab is blank")
