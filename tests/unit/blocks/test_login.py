"""Login signs in with the login it names, or with the execution's own."""

from typing import Any

import pytest

from pagehand.blocks.page.login import EXAMPLES, Login
from pagehand.errors import InvalidRequest
from pagehand.testing import Harness, SignInCall

pytestmark = pytest.mark.anyio

SITE = "https://bank.example/"


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_valid(example: dict[str, Any]) -> None:
    Login.check(example["data"], None)


@pytest.mark.parametrize("force", [False, True])
async def test_it_signs_in_with_the_login_it_names(harness: Harness, force: bool) -> None:
    login = await harness.add_login(SITE)
    await harness.run({"type": "Login", "data": {"loginId": login.id, "forceLoginEveryTime": force}})
    assert harness.sign_ins == [SignInCall(login.id, force)]


@pytest.mark.parametrize("names_another", [False, True])
async def test_as_a_parameter_it_takes_the_executions_login_whatever_it_names(
    harness: Harness, names_another: bool
) -> None:
    own, other = await harness.add_login(SITE), await harness.add_login(SITE)
    data = {"isParameter": True, **({"loginId": other.id} if names_another else {})}
    await harness.run({"type": "Login", "data": data}, login=own)
    assert harness.sign_ins == [SignInCall(own.id, force=False)]


@pytest.mark.parametrize("data", [{}, {"loginId": ""}, {"loginId": None, "isParameter": False}])
def test_it_needs_a_login_or_to_take_the_executions(data: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match="loginId"):
        Login.check(data, None)


def test_it_says_which_login_it_uses_before_it_runs() -> None:
    assert Login.named_logins({"loginId": "login_1"}, {}) == ["login_1"]
    assert Login.named_logins({"loginId": "login_1", "isParameter": True}, {}) == []
    assert Login.named_logins({"loginId": "{{params.login}}"}, {"login": "login_2"}) == ["login_2"]
    assert Login.named_logins({"loginId": "{{params.login}}"}, {}) == []
    assert Login.named_logins({"loginId": "{{item}}"}, {}) == []
    assert Login.takes_login({"isParameter": True})
    assert not Login.takes_login({"loginId": "login_1"})
