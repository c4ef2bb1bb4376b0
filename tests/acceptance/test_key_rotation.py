"""`pagehand keys rotate` beside a running service: every secret is readable before, during and after."""

import base64
import os
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from support.blocks import fail
from support.receiver import Receiver, webhook_receiver
from support.service import Api, RunningService
from support.waiting import wait_until

Json = dict[str, Any]
SEED = "JBSWY3DPEHPK3PXP"
PROXY = "http://me:word@127.0.0.1:3128"


@pytest.mark.slow
def test_with_the_key_file_the_service_never_notices(tmp_path: Path) -> None:
    service = RunningService(tmp_path / "data", PAGEHAND_BROWSER_POOL="0").start()
    try:
        with webhook_receiver() as receiver:
            kept = Kept(service.api(), receiver)
            kept.check()
            before = (tmp_path / "data" / "master.key").read_bytes()
            with kept.checked_all_the_time():
                complaint = rotate(service, {})
            assert "A new master key is in use." in complaint
            assert (tmp_path / "data" / "master.key").read_bytes() != before
            kept.check()
            rotate(service, {})  # forgets the first key: nothing may hang on it any more
            kept.check()
            service.stop()
            service.start()
            kept.api = service.api()
            kept.check()
    finally:
        service.stop()


@pytest.mark.slow
def test_with_keys_of_the_environment_the_old_one_serves_until_all_is_sealed_anew(tmp_path: Path) -> None:
    old, new = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
    both = {"PAGEHAND_MASTER_KEY": new, "PAGEHAND_PREVIOUS_MASTER_KEYS": old}
    with webhook_receiver() as receiver:
        service = started(tmp_path, {"PAGEHAND_MASTER_KEY": old})
        kept = Kept(service.api(), receiver)
        kept.check()
        service.stop()
        service = started(tmp_path, both)
        kept.api = service.api()
        kept.check()
        with kept.checked_all_the_time():
            complaint = rotate(service, both)
        assert "The present master key stays." in complaint
        kept.check()
        service.stop()
        service = started(tmp_path, {"PAGEHAND_MASTER_KEY": new})
        kept.api = service.api()
        kept.check()
        service.stop()
    assert not (tmp_path / "data" / "master.key").exists()


def started(folder: Path, env: dict[str, str]) -> RunningService:
    return RunningService(folder / "data", PAGEHAND_BROWSER_POOL="0", **env).start()


def rotate(service: RunningService, env: dict[str, str]) -> str:
    command = [sys.executable, "-m", "pagehand", "keys", "rotate", "--data-dir", str(service.data_dir)]
    done = subprocess.run(  # noqa: S603 - our own command
        command, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Kept:
    """One secret of every kind, and whether each can still be used."""

    def __init__(self, api: Api, receiver: Receiver) -> None:
        self.api = api
        self._receiver = receiver
        self._login = api.call("/logins/create", login())["login"]["id"]
        workflow = api.call(
            "/workflows/create",
            {
                "name": "secret",
                "blocks": [
                    {
                        "type": "Transform",
                        "blockReferenceId": "length",
                        "data": {"input": "", "code": "len(params.pin)"},
                    },
                    fail("for a retry"),
                ],
                "parameters": [{"name": "pin", "isSecret": True}],
            },
        )["workflow"]
        run = api.call(
            "/workflows/executeSync", {"workflowId": workflow["id"], "params": {"pin": "47114711"}}
        )
        self._execution = run["execution"]["id"]
        api.call("/organization/update", {"proxy": PROXY})
        hook = api.call("/webhooks/create", {"url": receiver.url, "events": ["batch.finished"]})
        self._webhook, self._secret = hook["webhook"]["id"], hook["secret"]

    def check(self) -> None:
        """Use them all."""
        code = self.api.call("/logins/twoFactorAuth/getCode", {"id": self._login})
        assert len(code["code"]) == 6
        retried = self.api.call("/executions/retry", {"id": self._execution})["execution"]["execution"]
        assert self.api.wait_for(retried["id"], "Failed")["response"]["length"] == 8
        assert self.api.call("/organization/get")["organization"]["proxy"] == PROXY.replace(
            "word", "********"
        )
        heard = len(self._receiver.received)
        self.api.call("/webhooks/test", {"id": self._webhook})
        wait_until(lambda: len(self._receiver.received) > heard)
        came = self._receiver.received[-1]
        assert Verifier(self._secret).verify(came.body, came.headers) == came.message

    def checked_all_the_time(self) -> "Meanwhile":
        """Use them again and again within."""
        return Meanwhile(self)


class Meanwhile:
    """Checks in a thread of its own; what went wrong there is raised at the end."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._over = threading.Event()
        self._rounds = 0
        self._trouble: list[BaseException] = []
        self._thread = threading.Thread(target=self._check, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *trouble: object) -> None:
        self._over.set()
        self._thread.join(60)
        assert self._trouble == []
        assert self._rounds > 0

    def _check(self) -> None:
        try:
            while not self._over.is_set() or not self._rounds:
                self._kept.check()
                self._rounds += 1
        except (AssertionError, OSError) as trouble:
            self._trouble.append(trouble)


def login() -> Json:
    return {
        "name": "Bank",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": {
            "username": "ada",
            "password": "correct horse",
            "twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED},
        },
    }
