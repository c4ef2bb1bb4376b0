"""One person at the live view: state and pictures go out as there is room, and only the driver acts."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
from starlette.types import Message
from starlette.websockets import WebSocket

from pagehand.api.live_view.links import LIVE_VIEW
from pagehand.api.live_view.viewer_connection import ViewerConnection
from pagehand.browser_session import (
    InputEvent,
    KeyInput,
    MouseInput,
    OpenFileChooser,
    Question,
    ScreencastFrame,
    Tab,
    TextInput,
)
from pagehand.clock import now_ms
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.signals import Signals
from pagehand.engine.viewers import LiveRun, Viewer
from pagehand.errors import InvalidRequest
from pagehand.records import Execution, Status
from pagehand.secrets.redactor import Redactor
from support.ignored_events import IgnoredEvents
from support.waiting import until

if TYPE_CHECKING:
    from pagehand.browser import LiveView
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


class FakeScreen:
    """Screen, input and file choosers at once; records what the viewer does."""

    def __init__(self) -> None:
        self.frame: ScreencastFrame | None = None
        self.tabs: Sequence[Tab] = ()
        self.question: Question | None = None
        self.current: OpenFileChooser | None = None
        self.done: list[str] = []
        self._wake: Callable[[], None] = lambda: None

    @property
    def input(self) -> Any:
        return self

    @property
    def choosers(self) -> Any:
        return self

    @asynccontextmanager
    async def watching(self, wake: Callable[[], None]) -> AsyncGenerator[None]:
        self._wake = wake
        yield
        self.done.append("nobody watches")

    def show(self, number: int) -> None:
        self.frame = ScreencastFrame(number=number, jpeg=b"JPEG %d" % number, width=1280, height=800)
        self._wake()

    def drive(self) -> None:
        self.done.append("driven")

    def stop_driving(self) -> None:
        self.done.append("given back")

    def send(self, event: InputEvent) -> bool:
        match event:
            case MouseInput():
                self.done.append(f"{event.kind} {event.x:g},{event.y:g}")
            case KeyInput():
                self.done.append(f"{event.kind} {event.key}")
            case TextInput():
                self.done.append(f"text {event.text}")
        return not isinstance(event, TextInput) or event.text != "one too many"

    async def idle(self) -> None:
        self.done.append("idle")

    def answer(self, question: int, *, accept: bool, text: str | None) -> None:
        self.done.append(f"answer {question} {accept} {text}")

    def switch_to(self, tab: int) -> None:
        self.done.append(f"tab {tab}")

    def go_back(self) -> None:
        self.done.append("back")

    def reload(self) -> None:
        self.done.append("reload")

    def begin_file(self, name: str) -> None:
        if self.current is None:
            raise InvalidRequest("The page asks for no file.")
        self.done.append(f"file {name}")

    def add_bytes(self, chunk: bytes) -> None:
        self.done.append(f"{len(chunk)} bytes")

    def set_files(self) -> None:
        self.done.append("files")

    def cancel(self) -> None:
        self.done.append("no files")


class FakeViewer:
    """A connection to the live view of one run."""

    def __init__(self, live: LiveRun, screen: FakeScreen, *, may_drive: bool = True, key: str = "k1") -> None:
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._outgoing: asyncio.Queue[Message] = asyncio.Queue()
        self._incoming.put_nowait({"type": "websocket.connect"})
        self._socket = WebSocket({"type": "websocket", "headers": []}, self._incoming.get, self._outgoing.put)
        self._connection = ViewerConnection(
            self._socket, live, cast("LiveView", screen), key, may_drive=may_drive
        )
        self.state: dict[str, Any] = {}

    async def begin(self) -> "FakeViewer":
        await self._socket.accept()
        await self._outgoing.get()
        self.serving = asyncio.create_task(self._connection.serve())
        await self.next("state")
        return self

    def sends(self, **command: Any) -> None:
        self._incoming.put_nowait(
            {"type": "websocket.receive", "text": msgspec.json.encode(command).decode()}
        )

    def sends_bytes(self, piece: bytes) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "bytes": piece})

    def leaves(self) -> None:
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def next(self, kind: str) -> dict[str, Any]:
        """The next message of that kind; pictures before it are ignored."""
        async with asyncio.timeout(20):
            while True:
                message = await self._outgoing.get()
                if message.get("text") is not None:
                    decoded = msgspec.json.decode(message["text"])
                    if decoded["type"] == "state":
                        self.state = decoded
                    if decoded["type"] == kind:
                        return decoded

    async def picture(self) -> bytes:
        async with asyncio.timeout(20):
            while True:
                message = await self._outgoing.get()
                if message.get("bytes") is not None:
                    return message["bytes"]

    @property
    def pictures_waiting(self) -> int:
        return sum(message.get("bytes") is not None for message in self._outgoing._queue)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType] - what has not been taken


class SocketViewer(FakeViewer):
    """A connection through the service's own WebSocket, with a link."""

    def __init__(self, api: "Api", token: str) -> None:
        self._incoming, self._outgoing = asyncio.Queue(), asyncio.Queue()
        self._incoming.put_nowait({"type": "websocket.connect"})
        self.status: int | None = None
        scope: dict[str, Any] = {
            "type": "websocket",
            "path": "/live/socket",
            "scheme": "ws",
            "server": ("127.0.0.1", 8700),
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8700"), (b"origin", b"http://127.0.0.1:8700")],
            "subprotocols": ["pagehand.live", f"t.{token}"],
            "extensions": {"websocket.http.response": {}},
        }
        self.serving = asyncio.ensure_future(api.app(scope, self._incoming.get, self._note))

    async def _note(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self._outgoing.put_nowait(message)


async def _ignored(_status: Status, _reason: str) -> None: ...


@pytest.fixture
def screen() -> FakeScreen:
    return FakeScreen()


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


@pytest.fixture
async def live(screen: FakeScreen, redactor: Redactor) -> AsyncGenerator[LiveRun]:
    now = now_ms()
    execution = Execution(
        id="exec_1",
        organization_id="org_1",
        workflow_id="wf_1",
        workflow_name="Claims",
        workflow_version=1,
        browser_session_id="bs_1",
        accepted_at=now,
        start_time=now,
        deadline_at=now + 60_000,
    )
    events = EventLog(IgnoredEvents(), execution.id, redactor, 0)
    run = LiveRun(execution, Signals(_ignored), events, redactor)
    run.screen = cast("LiveView", screen)
    yield run
    await events.close()


async def disconnect(viewer: FakeViewer) -> None:
    viewer.leaves()
    async with asyncio.timeout(20):
        await viewer.serving


async def test_state_is_sent_at_first_and_then_only_when_it_changes(
    live: LiveRun, screen: FakeScreen
) -> None:
    viewer = await FakeViewer(live, screen).begin()
    assert viewer.state["workflow"] == "Claims"
    assert (viewer.state["mayDrive"], viewer.state["driver"]) == (True, "nobody")
    screen.tabs = [Tab(1, "Claims", "claims.example", is_current=True)]
    screen.question = Question(7, "confirm", "Delete it?", "")
    screen.current = OpenFileChooser(3, is_multiple=True)
    screen.show(1)
    state = await viewer.next("state")
    assert state["tabs"] == [{"id": 1, "title": "Claims", "site": "claims.example", "isCurrent": True}]
    assert state["question"]["message"] == "Delete it?"
    assert state["chooser"] == {"id": 3, "isMultiple": True}
    assert await viewer.picture() == b"JPEG 1"
    await disconnect(viewer)
    assert screen.done[-1] == "nobody watches"


async def test_secrets_of_the_run_are_masked_in_titles_and_dialogs(
    live: LiveRun, screen: FakeScreen, redactor: Redactor
) -> None:
    redactor.add("correct-horse")
    screen.tabs = [Tab(1, "Hello correct-horse", "claims.example", is_current=True)]
    screen.question = Question(7, "prompt", "Is it correct-horse?", "correct-horse")
    viewer = await FakeViewer(live, screen).begin()
    assert "correct-horse" not in str(viewer.state)
    await disconnect(viewer)


async def test_slow_watcher_gets_the_newest_picture_and_no_queue_of_old_ones(
    live: LiveRun, screen: FakeScreen
) -> None:
    viewer = await FakeViewer(live, screen).begin()
    for number in range(1, 10):
        screen.show(number)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await until(lambda: viewer.pictures_waiting == 2)
    await viewer.picture()
    await viewer.picture()
    viewer.sends(type="seen")
    # those in between were never sent: only what the page shows now
    assert await viewer.picture() == b"JPEG 9"
    await disconnect(viewer)


async def test_only_the_driver_acts_and_control_is_given_back_after_the_last_click(
    live: LiveRun, screen: FakeScreen
) -> None:
    viewer = await FakeViewer(live, screen).begin()
    viewer.sends(type="reload")
    viewer.sends_bytes(b"ignored")
    viewer.sends(type="take")
    assert (await viewer.next("state"))["driver"] == "you"
    screen.current = OpenFileChooser(1, is_multiple=False)
    viewer.sends(type="mouse", kind="down", x=10, y=20.5)
    viewer.sends(type="key", kind="down", key="a", code="KeyA")
    viewer.sends(type="text", text="ünï")
    viewer.sends(type="tab", id=2)
    viewer.sends(type="answer", id=7, accept=True, text="yes")
    viewer.sends(type="back")
    viewer.sends(type="file", name="a.pdf")
    viewer.sends_bytes(b"12345")
    viewer.sends(type="files")
    viewer.sends(type="no files")
    viewer.sends(type="give back")
    await until(lambda: "given back" in screen.done)
    assert screen.done == [
        "driven",
        "down 10,20.5",
        "down a",
        "text ünï",
        "tab 2",
        "answer 7 True yes",
        "back",
        "file a.pdf",
        "5 bytes",
        "files",
        "no files",
        "idle",
        "given back",
    ]
    await disconnect(viewer)


async def test_link_to_watch_takes_no_control(live: LiveRun, screen: FakeScreen) -> None:
    viewer = await FakeViewer(live, screen, may_drive=False).begin()
    assert viewer.state["mayDrive"] is False
    viewer.sends(type="take", takeover=True)
    assert "watch only" in (await viewer.next("refused"))["message"]
    assert not live.has_driver
    await disconnect(viewer)


async def test_second_person_drives_only_by_taking_over(live: LiveRun, screen: FakeScreen) -> None:
    first, second = await FakeViewer(live, screen).begin(), await FakeViewer(live, screen, key="k2").begin()
    first.sends(type="take")
    assert (await second.next("state"))["driver"] == "other"
    second.sends(type="take")
    assert "Somebody else" in (await second.next("refused"))["message"]
    second.sends(type="take", takeover=True)
    while first.state["driver"] != "other":
        await first.next("state")
    await disconnect(first)
    await disconnect(second)


async def test_refusal_of_the_page_is_shown_and_the_connection_goes_on(
    live: LiveRun, screen: FakeScreen
) -> None:
    viewer = await FakeViewer(live, screen).begin()
    viewer.sends(type="take")
    await viewer.next("state")
    viewer.sends(type="file", name="unasked.pdf")
    assert "asks for no file" in (await viewer.next("refused"))["message"]
    viewer.sends(type="text", text="one too many")
    assert "was dropped" in (await viewer.next("refused"))["message"]
    viewer.sends(type="back")
    await until(lambda: screen.done[-1] == "back")
    await disconnect(viewer)


async def test_what_our_page_never_sends_ends_the_connection(live: LiveRun, screen: FakeScreen) -> None:
    viewer = await FakeViewer(live, screen).begin()
    viewer.sends(type="format the disk")
    async with asyncio.timeout(20):
        await viewer.serving
    assert screen.done == ["nobody watches"]


async def test_end_of_the_run_ends_the_connection(live: LiveRun, screen: FakeScreen) -> None:
    viewer = await FakeViewer(live, screen).begin()
    live.end()
    async with asyncio.timeout(20):
        await viewer.serving


async def test_viewer_who_left_is_not_woken_any_more(live: LiveRun, screen: FakeScreen) -> None:
    viewer = await FakeViewer(live, screen).begin()
    await disconnect(viewer)
    returned = Viewer("k1", lambda: None)
    live.join(returned)
    live.leave(returned)
    assert not live.has_driver


@pytest.mark.parametrize("mode", ["view", "control"])
async def test_viewer_is_disconnected_when_the_key_of_the_link_is_revoked(
    api: "Api", live: LiveRun, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr("pagehand.api.auth.CHECK_SECONDS", 0.02)
    monkeypatch.setattr(api.engine, "live", lambda _organization, _execution: live)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - both are ignored
    owner = await api.services.stores.organizations.ensure("one")
    key_id = f"key_{(await api.create_key('one')).split('_')[1]}"
    execution = await api.add_running(organization_id=owner.id)
    signer = api.services.signer.for_holder(key_id)
    token = signer.token(LIVE_VIEW, owner.id, execution.id, mode=mode)
    viewer = SocketViewer(api, token)
    await viewer.next("state")
    if mode == "control":
        viewer.sends(type="take")
        await until(lambda: live.has_driver)
    assert await api.services.stores.keys.revoke(owner.id, key_id, now_ms())
    api.services.authenticator.forget(key_id)
    assert "access has ended" in (await viewer.next("ended"))["message"]
    async with asyncio.timeout(20):
        await viewer.serving
    # nobody can come back with the link, so the run need not wait for its driver
    assert not live.has_driver
    refused = SocketViewer(api, token)
    await refused.serving
    assert refused.status == 401
