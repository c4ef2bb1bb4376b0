from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagehand.blocks.base import RunContext
from pagehand.blocks.page.login import EXAMPLES, Login
from pagehand.errors import InvalidRequest

pytestmark = pytest.mark.anyio


class Recorder:
    """A context that notes who signed in."""

    def __init__(self) -> None:
        self.page = SimpleNamespace(page=SimpleNamespace(url="https://bank.example/home"))
        self.asked: list[tuple[str | None, bool]] = []

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        self.asked.append((login_id, force))


async def run(data: dict[str, Any]) -> list[tuple[str | None, bool]]:
    recorder = Recorder()
    await Login.parse(data).run(cast("RunContext", recorder))
    return recorder.asked


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_valid(example: dict[str, Any]) -> None:
    Login.check(example["data"], None)


async def test_it_signs_in_with_the_login_it_names() -> None:
    assert await run({"loginId": "login_1"}) == [("login_1", False)]
    assert await run({"loginId": "login_1", "forceLoginEveryTime": True}) == [("login_1", True)]


async def test_as_a_parameter_it_takes_the_executions_login_whatever_it_names() -> None:
    assert await run({"loginId": "login_1", "isParameter": True}) == [(None, False)]
    assert await run({"isParameter": True}) == [(None, False)]


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
