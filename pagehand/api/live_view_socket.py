"""One person at the live view: pictures and state go out, what they do comes in."""

import asyncio
from typing import Final, assert_never

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from pagehand.api.live_view_messages import (
    AnswerDialog,
    Back,
    BeginFile,
    ChooserState,
    GiveBack,
    GiveNoFile,
    HandOverFiles,
    Key,
    Mouse,
    QuestionState,
    Refused,
    Reload,
    Seen,
    State,
    SwitchTab,
    TabState,
    Take,
    Text,
    ViewerCommand,
    read_command,
)
from pagehand.browser_session import Screen
from pagehand.engine.live.run import LiveRun, Viewer
from pagehand.errors import Conflict, InvalidRequest

_UNSEEN_FRAMES: Final = 2
"""How many pictures may be under way: a slow watcher gets fewer pictures, never old ones."""
# a watcher whose connection hangs must not keep the screencast going
_SEND_SECONDS: Final = 20.0
_NONSENSE: Final = 1008
_encode = msgspec.json.Encoder().encode


class Conversation:
    """Lasts until the person leaves or the run ends."""

    def __init__(
        self, socket: WebSocket, live: LiveRun, screen: Screen, key: str, *, may_drive: bool
    ) -> None:
        self._socket = socket
        self._live = live
        self._screen = screen
        self._may_drive = may_drive
        self._news = asyncio.Event()
        self._viewer = Viewer(key, self._news.set)
        self._sent_state = b""
        self._shown = 0
        self._unseen = 0

    async def hold(self) -> None:
        """Talk until one side has had enough."""
        self._live.join(self._viewer)
        try:
            async with self._screen.watching(self._news.set):
                talking = [asyncio.create_task(self._tell()), asyncio.create_task(self._listen())]
                try:
                    done, _ = await asyncio.wait(talking, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in talking:
                        task.cancel()
                    await asyncio.gather(*talking, return_exceptions=True)
                # what ended it is raised here: an error must not look like a person who left
                for task in done:
                    task.result()
        finally:
            self._live.leave(self._viewer)

    async def _tell(self) -> None:
        """Send what has changed, and the newest picture once there is room for it."""
        while not self._live.has_ended:
            self._news.clear()
            async with asyncio.timeout(_SEND_SECONDS):
                await self._tell_state()
                await self._show_frame()
            await self._news.wait()

    async def _tell_state(self) -> None:
        state = _encode(self._state())
        if state != self._sent_state:
            self._sent_state = state
            await self._socket.send_text(state.decode())

    async def _show_frame(self) -> None:
        frame = self._screen.frame
        if frame is not None and frame.number != self._shown and self._unseen < _UNSEEN_FRAMES:
            self._shown = frame.number
            self._unseen += 1
            await self._socket.send_bytes(frame.jpeg)

    def _state(self) -> State:
        live, screen, shown = self._live, self._screen, self._live.shown
        chooser, frame = screen.choosers.current, screen.frame
        return State(
            workflow=live.execution.workflow_name,
            may_drive=self._may_drive,
            driver="you" if live.drives(self._viewer) else "other" if live.has_driver else "nobody",
            held_for=live.held_for,
            waits_for=live.waits_for,
            width=frame.width if frame else 0,
            height=frame.height if frame else 0,
            tabs=[TabState(tab.id, shown(tab.title), tab.site, tab.is_current) for tab in screen.tabs],
            question=self._question(),
            chooser=None if chooser is None else ChooserState(chooser.id, chooser.is_multiple),
        )

    def _question(self) -> QuestionState | None:
        asked, shown = self._screen.question, self._live.shown
        if asked is None:
            return None
        return QuestionState(asked.id, asked.type, shown(asked.message), shown(asked.suggestion))

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except (Conflict, InvalidRequest) as refusal:
                await self._socket.send_text(_encode(Refused(refusal.message)).decode())
            except (msgspec.DecodeError, WebSocketDisconnect):
                # our page never sends this, so it is not a slip of a person: end the connection
                return

    async def _hear(self) -> None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", _NONSENSE))
        piece = message.get("bytes")
        if piece is None:
            command = read_command(message.get("text") or "")
            if isinstance(command, GiveBack) and self._live.drives(self._viewer):
                await self._screen.input.idle()  # the last click comes before the run does
            self._obey(command)
        # pieces of a file from anybody else are dropped: only the driver was asked for one
        elif self._live.drives(self._viewer):
            self._screen.choosers.add_bytes(piece)

    def _obey(self, command: ViewerCommand) -> None:
        """Do what was asked; all but taking control is the driver's alone."""
        if isinstance(command, Seen):
            self._unseen = max(0, self._unseen - 1)
            self._news.set()
        elif isinstance(command, Take):
            if not self._may_drive:
                raise Conflict("This link is to watch only.")
            self._live.take(self._viewer, is_takeover=command.takeover)
        elif self._live.drives(self._viewer):
            self._live.touch()
            self._act(command)

    def _act(self, command: ViewerCommand) -> None:  # noqa: C901, PLR0912 - one line for each thing a driver can do
        screen = self._screen
        match command:
            case Mouse():
                screen.input.mouse(**msgspec.structs.asdict(command))
            case Key():
                screen.input.key(**msgspec.structs.asdict(command))
            case Text():
                screen.input.insert_text(command.text)
            case SwitchTab():
                screen.switch_to(command.id)
            case AnswerDialog():
                screen.answer(command.id, accept=command.accept, text=command.text)
            case Back():
                screen.go_back()
            case Reload():
                screen.reload()
            case BeginFile():
                screen.choosers.begin_file(command.name)
            case HandOverFiles():
                screen.choosers.hand_over()
            case GiveNoFile():
                screen.choosers.cancel()
            case GiveBack():
                self._live.give_back(self._viewer)
            case Take() | Seen():
                pass  # everybody's, and done by now
            case _:
                assert_never(command)
