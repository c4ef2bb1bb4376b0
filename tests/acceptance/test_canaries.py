"""Twenty secrets go through runs that type, read, log, picture, ask, tell, fail and retry; none shows up."""

import base64
import json
import secrets
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus
from zipfile import ZipFile

import pytest

from support.apps import App, started_app
from support.model import ModelReply, ModelRequest, ScriptedModel, is_report, scripted_model, structured_reply
from support.receiver import Receiver, webhook_receiver
from support.service import Api, RunningService
from support.waiting import wait_until

Json = dict[str, Any]
EXTRA = 8
PARAMS = 8
ENDED = 3


def canary(name: str) -> str:
    """A secret whose every form differs from its plain one."""
    return f'{name} "{secrets.token_hex(6)}" ü/{secrets.token_hex(6)}+?&'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("canaries")


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    """A model that says whatever it was told back to whoever asks."""
    with scripted_model() as running:
        running.script = repeat
        yield running


def repeat(asked: ModelRequest) -> ModelReply:
    if is_report(asked) or not asked.tools:
        return ModelReply(f"I was told: {asked.prompt}")
    return structured_reply({"holds": True, "reason": asked.prompt})


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="module")
def service(folder: Path, model: ScriptedModel) -> Iterator[RunningService]:
    running = RunningService(folder / "data", PAGEHAND_LOG_LEVEL="debug", **model.env).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[App]:
    with started_app("admin", folder) as running:
        yield running


def forms(secret: str) -> set[bytes]:
    """As it would stand in plain text, JSON, URLs, base64 and hex."""
    encoded = secret.encode()
    found = {encoded, encoded.hex().encode(), encoded.hex().upper().encode()}
    found |= {json.dumps(secret)[1:-1].encode(), json.dumps(secret, ensure_ascii=False)[1:-1].encode()}
    found |= {quote(secret).encode(), quote(secret, safe="").encode(), quote_plus(secret).encode()}
    for shift in range(3):
        text = base64.b64encode(bytes(shift) + encoded)
        found.add(text[4:-4])
        found.add(text[4:-4].translate(bytes.maketrans(b"+/", b"-_")))
    return found


@pytest.mark.slow
def test_no_secret_shows_up_outside_its_field(
    service: RunningService, app: App, folder: Path, model: ScriptedModel, receiver: Receiver
) -> None:
    api = service.api()
    listen(api, receiver)
    extra = {f"key{number}": canary(f"extra{number}") for number in range(EXTRA)}
    params = {f"secret{number}": canary(f"param{number}") for number in range(PARAMS)}
    wrong_password, mailbox, typed = canary("password"), canary("mailbox"), canary("typed")
    hidden = [*extra.values(), *params.values(), wrong_password, mailbox, typed, app.facts["seed"]]
    assert len(hidden) == 20
    login = api.call("/logins/create", login_of(app, app.facts["password"], mailbox, extra))["login"]
    refused = api.call("/logins/create", login_of(app, wrong_password, mailbox, extra))["login"]
    workflow = api.call(
        "/workflows/create",
        {
            "name": "canaries",
            "blocks": blocks(typed),
            "parameters": [{"name": name, "isSecret": True} for name in params] + [{"name": "open"}],
        },
    )["workflow"]
    order = {"workflowId": workflow["id"], "params": {**params, "open": "shown"}, "record": True}
    answers: list[Any] = []
    for used in (login, refused):
        execution = api.call("/workflows/executeSync", {**order, "loginId": used["id"]})["execution"]
        assert execution["status"] == "Failed"
        assert execution["params"] == {**dict.fromkeys(params, "********"), "open": "shown"}
        answers += [execution, api.get(execution["id"]), api.events(execution["id"])]
    first = answers[0]
    assert "`Fails`" in first["errorAnalysis"], first["errorAnalysis"]
    assert first["response"]["lengths"] == [len(value) for value in params.values()]
    started = api.call("/executions/retry", {"id": first["id"]})["execution"]["execution"]
    retried = api.wait_for(started["id"], "Completed", "Failed")
    assert retried["response"]["lengths"] == first["response"]["lengths"]
    answers += [retried, api.events(started["id"]), api.call("/executions/list"), api.call("/logins/list")]
    answers.append([api.call("/logins/get", {"id": item["id"]}) for item in (login, refused)])
    for value in params.values():
        assert api.call("/executions/list", {"search": [value]})["total"] == 0
    wait_until(lambda: sum(item.message["type"] == "execution.failed" for item in receiver.received) == ENDED)
    service.stop()
    places = {"answers": json.dumps(answers).encode(), "log": service.log.read_bytes()}
    places |= {str(path): path.read_bytes() for path in (folder / "data").rglob("*") if path.is_file()}
    for zipped in [content for content in places.values() if content.startswith(b"PK\x03\x04")]:
        with ZipFile(BytesIO(zipped)) as archive:
            places |= {f"{name} of a recording": archive.read(name) for name in archive.namelist()}
    assert any(name.startswith("bodies/") for name in places)
    places["prompts"] = b"\n".join(written(item.body) for item in model.requests)
    places["webhooks"] = b"\n".join(item.body + written(item.headers) for item in receiver.received)
    # the model and the webhooks did hear of the runs, and of the secrets in the shape of a mask
    assert b"It is said that ***" in places["prompts"]
    assert b"Who are you, ***?" in places["prompts"]
    assert sum(is_report(item) for item in model.requests) >= ENDED
    assert b"*** and shown" in places["webhooks"]
    assert any(name.endswith("pagehand.db") for name in places)
    assert any(name.endswith(".jpg") for name in places)
    assert b"It is *** and shown" in places["answers"]
    # the workflow itself is the author's own text: what is typed as sensitive stands in its definition
    leaks = [
        (secret[:8], Path(where).name)
        for secret in hidden
        for where, content in places.items()
        for form in forms(secret)
        if form in content and not (secret == typed and "pagehand.db" in where)
    ]
    assert leaks == []


def written(value: Any) -> bytes:
    """As JSON, with letters beyond ASCII both escaped and as they are."""
    return (json.dumps(value) + json.dumps(value, ensure_ascii=False)).encode()


def listen(api: Api, receiver: Receiver) -> None:
    events = ["execution.started", "execution.paused", "execution.completed", "execution.failed"]
    api.call("/webhooks/create", {"url": receiver.url, "events": [*events, "authentication.waiting"]})


def login_of(app: App, password: str, mailbox: str, extra: dict[str, str]) -> Json:
    return {
        "name": "Site",
        "authenticationUrl": f"{app.url}/otp/login/",
        "homeUrl": f"{app.url}/otp/",
        "persistSession": True,
        "loginConfiguration": {
            "username": "totp",
            "password": password,
            "additionalCredentials": [{"key": key, "value": value} for key, value in extra.items()],
            "twoFactorAuthConfiguration": {
                "method": "TOTP",
                "totpSecretKey": app.facts["seed"],
                "mailboxPassword": mailbox,
            },
        },
    }


def blocks(typed: str) -> list[Json]:
    """Type secrets, read them back from the page, put them out in every shape, and fail with them."""
    names = [f"params.secret{number}" for number in range(PARAMS)]
    keys = [f"{{{{login.key{number}}}}}" for number in range(EXTRA)]
    encoders = ", ".join(names)
    return [
        {"type": "Navigate", "data": {"url": "/otp/auth/group/add/"}},
        field("SensitiveTextInput", typed),
        {"type": "Extract", "data": {"prompt": "x", "fields": {"v": value_of_name()}}},
        *(field("SensitiveTextInput", key) for key in keys),
        {"type": "Extract", "data": {"prompt": "x", "fields": {"v": value_of_name()}}},
        field("TextInput", "{{params.secret0}}"),
        {"type": "Extract", "data": {"prompt": "x", "fields": {"v": value_of_name()}}},
        {"type": "Transform", "data": {"input": "", "code": f"[{encoders}]"}},
        {
            "type": "ExtractFromInput",
            "data": {
                "inputText": "It is said that {{params.secret4}} " + " ".join(keys),
                "prompt": "Who are you, {{params.secret5}}?",
            },
        },
        {
            "type": "If",
            "data": {"condition": {"prompt": "The page shows {{params.secret6}}"}},
            "sequenceData": {"trueSequence": [], "falseSequence": []},
        },
        {
            "type": "Transform",
            "blockReferenceId": "lengths",
            "data": {"input": "", "code": f"[len(one) for one in [{encoders}]]"},
        },
        # JavaScript is refused in the page whose field held secrets of the login
        {"type": "Navigate", "data": {"url": "/otp/auth/group/add/"}},
        {
            "type": "CodeV2",
            "data": {
                "language": "javascript",
                "inputs": {"all": [f"{{{{{name}}}}}" for name in names]},
                "code": "inputs => [inputs, btoa(unescape(encodeURIComponent(inputs.all[1]))), "
                "encodeURIComponent(inputs.all[2]), JSON.stringify(inputs)]",
            },
        },
        {
            "type": "FailOnCondition",
            "name": "Fails",
            "data": {"condition": "True", "message": "It is {{params.secret3}} and {{params.open}}"},
        },
    ]


def field(kind: str, value: str) -> Json:
    return {"type": "Input", "data": {"key": "name", "inputType": kind, "value": value, "mode": "code"}}


def value_of_name() -> Json:
    return {"locator": {"css": "[name=name]"}, "attribute": "value"}
