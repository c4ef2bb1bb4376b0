"""What the exit status tells whoever called the command."""

import sys

import pytest
import typer

from pagehand import cli
from pagehand.errors import Conflict, InvalidRequest, NotFound, OurFault, PagehandError, Unavailable


@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        (InvalidRequest("There is no setting `PAGEHAND_PROT`."), 2),
        (NotFound("There is no key `k`."), 2),
        (Conflict("The folder is in use."), 2),
        (Unavailable("The database cannot be reached."), 3),
        (OurFault("A bug."), 1),
    ],
)
def test_wrong_use_is_distinguished_from_a_service_that_is_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], trouble: PagehandError, status: int
) -> None:
    def fail(*, standalone_mode: bool) -> None:
        del standalone_mode
        raise trouble

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == status
    assert capsys.readouterr().err == f"pagehand: {trouble.message}\n"


def test_an_interruption_has_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    command = typer.Typer(rich_markup_mode=None)
    command.command()(interrupted)
    monkeypatch.setattr(cli, "app", command)
    monkeypatch.setattr(sys, "argv", ["pagehand"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().out) == (130, "")
