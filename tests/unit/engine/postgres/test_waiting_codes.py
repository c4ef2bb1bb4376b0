"""Which execution of several processes a code is for."""

from collections.abc import Callable

import pytest

from pagehand.engine.postgres.engine import execution_waiting_for_code
from pagehand.engine.signing_in.codes import CodeTarget
from pagehand.errors import Conflict, NotFound
from pagehand.records import AuthenticationStatus, ContextAuthentication, Execution, LoginSummary

MakeExecution = Callable[..., Execution]


def waiting(make: MakeExecution, name: str, status: str = "WaitingForCode") -> Execution:
    execution = make(id=f"exec_{name}", browser_session_id=f"bs_{name}")
    execution.context_authentications = [
        ContextAuthentication(
            context_authentication_id=f"auth_{name}",
            login_summary=LoginSummary(login_id=f"login_{name}", name=name, is_manual=False),
            authentication_status=AuthenticationStatus(status),
        )
    ]
    return execution


def test_the_only_one_that_waits_is_meant(make_execution: MakeExecution) -> None:
    running = [waiting(make_execution, "a"), waiting(make_execution, "b", "InProgress")]
    assert execution_waiting_for_code(CodeTarget(), running).id == "exec_a"


@pytest.mark.parametrize(
    "wanted",
    [
        CodeTarget(execution_id="exec_b"),
        CodeTarget(browser_session_id="bs_b"),
        CodeTarget(login_id="login_b"),
    ],
)
def test_of_several_the_named_one_is_meant(make_execution: MakeExecution, wanted: CodeTarget) -> None:
    running = [waiting(make_execution, "a"), waiting(make_execution, "b")]
    assert execution_waiting_for_code(wanted, running).id == "exec_b"


def test_several_are_named_and_none_is_not_found(make_execution: MakeExecution) -> None:
    running = [waiting(make_execution, "a"), waiting(make_execution, "b")]
    with pytest.raises(Conflict, match=r"`exec_a` \(login `a`\), `exec_b` \(login `b`\)"):
        execution_waiting_for_code(CodeTarget(), running)
    with pytest.raises(NotFound):
        execution_waiting_for_code(CodeTarget(execution_id="exec_c"), running)
