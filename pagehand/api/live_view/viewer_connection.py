"""The connection of one viewer: sends pictures and state, and performs the viewer's commands."""

import asyncio
from typing import Final, assert_never

import msgspec
from msgspec import structs
from starlette.websockets import WebSocket, WebSocketDisconnect

from pagehand.api.live_view.messages import (
    AcknowledgeFrame,
    AnswerDialog,
    BeginFile,
    CancelFileChooser,
    CommandRefused,
    GiveControlBack,
    GoBack,
    Reload,
    SubmitFiles,
    SwitchTab,
    TakeControl,
    ViewerCommand,
    ViewState,
    read_command,
)
from pagehand.api.operation import encode
from pagehand.browser import LiveView
from pagehand.browser_session import KeyInput, MouseInput, Question, TextInput
from pagehand.engine.viewers import LiveRun, Viewer
from pagehand.errors import Conflict, InvalidRequest

_MAX_UNACKNOWLEDGED_FRAMES: Final = 2
"""A slow viewer gets fewer pictures, never old ones."""
# a viewer whose connection hangs must not keep the screencast going
_SEND_SECONDS: Final = 20.0
_POLICY_VIOLATION: Final = 1008


class ViewerConnection:
    """Lasts until the viewer leaves or the run ends."""

    def __init__(
        self, socket: WebSocket, live: LiveRun, screen: LiveView, key: str, *, may_drive: bool
    ) -> None:
        self._socket = socket
        self._live = live
        self._screen = screen
        self._may_drive = may_drive
        self._changed = asyncio.Event()
        self._viewer = Viewer(key, self._changed.set)
        self._sent_state = b""
        self._sent_frame = 0
        self._unacknowledged = 0

    async def serve(self) -> None:
        """Send updates and receive commands until one side ends the connection."""
        self._live.join(self._viewer)
        try:
            async with self._screen.watching(self._changed.set):
                tasks = [
                    asyncio.create_task(self._send_updates()),
                    asyncio.create_task(self._receive_commands()),
                ]
                try:
                    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)
                # raise what ended it: an error must not look like a viewer who left
                for task in done:
                    task.result()
        except asyncio.CancelledError:
            # the link no longer works, so nobody can come back to the control they have
            if self._live.drives(self._viewer):
                self._live.release()
            raise
        finally:
            self._live.leave(self._viewer)

    async def _send_updates(self) -> None:
        """Send the state when it has changed, and the newest picture once there is room for it."""
        while not self._live.has_ended:
            # before sending: a change that comes meanwhile must not be lost
            self._changed.clear()
            async with asyncio.timeout(_SEND_SECONDS):
                await self._send_state()
                await self._send_frame()
            await self._changed.wait()

    async def _send_state(self) -> None:
        state = encode(self._state())
        if state != self._sent_state:
            self._sent_state = state
            await self._socket.send_text(state.decode())

    async def _send_frame(self) -> None:
        frame = self._screen.frame
        has_room = self._unacknowledged < _MAX_UNACKNOWLEDGED_FRAMES
        if frame is not None and frame.number != self._sent_frame and has_room:
            self._sent_frame = frame.number
            self._unacknowledged += 1
            await self._socket.send_bytes(frame.jpeg)

    def _state(self) -> ViewState:
        live, screen, redact = self._live, self._screen, self._live.redact
        frame = screen.frame
        return ViewState(
            workflow=live.execution.workflow_name,
            may_drive=self._may_drive,
            driver="you" if live.drives(self._viewer) else "other" if live.has_driver else "nobody",
            held_for=live.held_for,
            waits_for=live.waits_for,
            width=frame.width if frame else 0,
            height=frame.height if frame else 0,
            tabs=[structs.replace(tab, title=redact(tab.title)) for tab in screen.tabs],
            question=self._question(),
            chooser=screen.choosers.current,
        )

    def _question(self) -> Question | None:
        question, redact = self._screen.question, self._live.redact
        if question is None:
            return None
        message, suggestion = redact(question.message), redact(question.suggestion)
        return structs.replace(question, message=message, suggestion=suggestion)

    async def _receive_commands(self) -> None:
        while True:
            try:
                await self._receive()
            except (Conflict, InvalidRequest) as refusal:
                await self._socket.send_text(encode(CommandRefused(refusal.message)).decode())
            except (msgspec.DecodeError, WebSocketDisconnect):
                # our page never sends what cannot be decoded: this is another client
                return

    async def _receive(self) -> None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", _POLICY_VIOLATION))
        file_bytes = message.get("bytes")
        if file_bytes is None:
            command = read_command(message.get("text") or "")
            if isinstance(command, GiveControlBack) and self._live.drives(self._viewer):
                await self._screen.input.idle()  # the last click comes before the run continues
            self._handle(command)
        # file content of other viewers is dropped: only the driver was asked for a file
        elif self._live.drives(self._viewer):
            self._screen.choosers.add_bytes(file_bytes)

    def _handle(self, command: ViewerCommand) -> None:
        """Perform a command; all but taking control are for the driver alone."""
        if isinstance(command, AcknowledgeFrame):
            self._unacknowledged = max(0, self._unacknowledged - 1)
            self._changed.set()
        elif isinstance(command, TakeControl):
            if not self._may_drive:
                raise Conflict("This link is to watch only.")
            self._live.take_control(self._viewer, is_takeover=command.takeover)
        elif self._live.drives(self._viewer):
            self._live.touch()
            self._drive(command)

    def _drive(self, command: ViewerCommand) -> None:  # noqa: C901 - one case per command
        screen = self._screen
        match command:
            case MouseInput() | KeyInput() | TextInput():
                if not screen.input.send(command):
                    raise Conflict("The page is too slow for so much input: what you did last was dropped.")
            case SwitchTab():
                screen.switch_to(command.id)
            case AnswerDialog():
                screen.answer(command.id, accept=command.accept, text=command.text)
            case GoBack():
                screen.go_back()
            case Reload():
                screen.reload()
            case BeginFile():
                screen.choosers.begin_file(command.name)
            case SubmitFiles():
                screen.choosers.set_files()
            case CancelFileChooser():
                screen.choosers.cancel()
            case GiveControlBack():
                self._live.return_control(self._viewer)
            case TakeControl() | AcknowledgeFrame():
                pass  # for every viewer, and handled before
            case _:
                assert_never(command)
