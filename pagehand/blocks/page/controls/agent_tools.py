"""What an agent may do on a page: the page blocks themselves, each step held to a few rules.

A secret is typed only into a password field on the login's own site. What cannot be undone waits for a
person's word. Whatever the page says, there is no way out but these steps, and the network is held to a
few domains.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from pagehand.blocks.base import Block, Committing, RunContext
from pagehand.blocks.flow.wait import Wait
from pagehand.blocks.page.close_popup import ClosePopup
from pagehand.blocks.page.date_input import DateInput
from pagehand.blocks.page.dropdown import Dropdown
from pagehand.blocks.page.hover import Hover
from pagehand.blocks.page.input import Input
from pagehand.blocks.page.mouse import Mouse
from pagehand.blocks.page.navigate import Navigate
from pagehand.errors import BlockFailed, PagehandError, TemporaryTrouble
from pagehand.ports import PageSession
from pagehand.records import Tool, ToolCall
from pagehand.workflow.effect_words import is_risky
from pagehand.workflow.locator import Locator

_Json = dict[str, Any]
_KINDS: Final[dict[type[Block], tuple[str, ...]]] = {
    Mouse: ("action", "count"),
    Input: ("value", "pressEnter"),
    Dropdown: ("value",),
    DateInput: ("value",),
    Hover: (),
    Navigate: ("url",),
    ClosePopup: (),
    Wait: ("durationMs",),
}
_PURPOSE: Final = {
    "Mouse": "Click an element (or doubleClick, rightClick, scroll).",
    "Input": "Fill in a field with text, or tick a checkbox (`true` or `false`).",
    "Dropdown": "Choose an option of a list by its text.",
    "DateInput": "Enter a date, as YYYY-MM-DD.",
    "Hover": "Move the mouse over an element.",
    "Navigate": "Open an address.",
    "ClosePopup": "Close what lies over the page.",
    "Wait": "Wait for the page.",
}
_WITHOUT_ELEMENT: Final = (Navigate, ClosePopup)
_LONGEST_WAIT_MS: Final = 5000
_STEP_MS: Final = 10_000
_PLACEHOLDER: Final = re.compile(r"\{\{\s*login\.([\w-]+)\s*\}\}")
_LOADED_FROM: Final = (
    "() => [...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]"
)
_FACTS: Final = """el => {
  const button = el.form && [...el.form.elements].find(e => e.type === 'submit' || e.type === 'image');
  const says = e => e ? [e.innerText, e.value, e.ariaLabel, e.title, e.alt, e.id, e.name, e.className]
    .filter(s => typeof s === 'string') : [];
  return {tag: el.tagName.toLowerCase(), type: (el.type || '').toLowerCase(),
    role: el.getAttribute('role') || '', origin: location.origin,
    isSecret: el.type === 'password' || el.hasAttribute('data-pagehand-masked'),
    says: says(el.closest('button,a,[role=button],label,summary') || el), submit: says(button)};
}"""


@dataclass
class PageHands:
    """Implements `ports.Hands` for one block; keeps the steps that worked, as block definitions."""

    ctx: RunContext
    use_vision: bool = False
    commits: Literal["ask", "allow", "refuse"] = "ask"
    """What to do about steps that may not be undone."""
    kinds: Sequence[str] = ()
    """The kinds of blocks it may use; all that there are when empty."""
    steps: list[_Json] = field(default_factory=list[_Json])

    @property
    def tools(self) -> Sequence[Tool]:
        """A tool per page block, with the fields of it that matter."""
        return [_tool(kind, _KINDS[kind]) for kind in self._kinds]

    @property
    def _kinds(self) -> Sequence[type[Block]]:
        return [kind for kind in _KINDS if not self.kinds or kind.type in self.kinds]

    async def look(self) -> str:
        """The page in words."""
        return await self.ctx.page.describe()

    async def picture(self) -> bytes | None:
        """A screenshot, where the block wants its model to see."""
        return await self.ctx.page.screenshot() if self.use_vision else None

    async def heard(self, role: str, text: str) -> None:
        """Keep it in the execution's thread."""
        await self.ctx.say(role, text)

    async def do(self, call: ToolCall) -> str:
        """Run the block that is asked for; what it said, or why it was not run or failed."""
        try:
            definition = await self._definition(call)
            await self.ctx.run_step(definition)
        except TemporaryTrouble:
            raise  # the browser or the site is gone: no step can help
        except PagehandError as refused:
            self.ctx.emit("agent.refused", f"{call.name}: {refused.message}", {"tool": call.name})
            return f"Not done: {refused.message}"
        definition["data"].pop("timeoutMs", None)
        self.steps.append(definition)
        return "Done."

    async def repeat(self, step: _Json) -> Any:
        """Run a step of an earlier run under the same rules; what it put out."""
        if locator := step.get("locator"):
            wanted = Locator.model_validate(self.ctx.resolve(locator))
            found = await self.ctx.page.find(wanted, "touch", timeout_seconds=_STEP_MS / 1000)
            facts: _Json = await found.element.evaluate(_FACTS)
            if placeholder := _PLACEHOLDER.fullmatch(str(step["data"].get("value", ""))):
                self._check_secret(placeholder[1], facts)
            kind = next(one for one in _KINDS if one.type == step["type"])
            if self._is_commit(kind, step["data"], facts):
                await self._ask_approval(kind, wanted, facts)
        return await self.ctx.run_step(step)

    async def _definition(self, call: ToolCall) -> _Json:
        """The block that is asked for, with all that a model may not decide decided."""
        kind = next((one for one in self._kinds if one.type == call.name), None)
        if kind is None:
            raise BlockFailed(f"There is no tool `{call.name}`.")
        data: _Json = {
            name: _literal(call.arguments[name])
            for name in _KINDS[kind]
            if call.arguments.get(name) is not None
        }
        if kind is Wait:
            return {"type": kind.type, "data": {"durationMs": min(_LONGEST_WAIT_MS, data["durationMs"])}}
        if kind in _WITHOUT_ELEMENT:
            return {"type": kind.type, "data": {**data, "timeoutMs": _STEP_MS}}
        reference = str(call.arguments.get("ref") or "").strip("[] ").removeprefix("ref=")
        found, locator = await self.ctx.page.by_reference(reference)
        facts: _Json = await found.element.evaluate(_FACTS)
        if kind is Input:
            data = self._entry(str(call.arguments.get("value", "")), data, locator, facts)
        if self._is_commit(kind, data, facts):
            await self._ask_approval(kind, locator, facts)
            data |= {"isCommit": True} if issubclass(kind, Committing) else {}
        return {"type": kind.type, "data": {**data, "timeoutMs": _STEP_MS}, "locator": _given(locator)}

    def _entry(self, value: str, data: _Json, locator: Locator, facts: Mapping[str, Any]) -> _Json:
        entry = {**data, "key": _literal(str(locator)), "inputType": _input_type(facts)}
        if (placeholder := _PLACEHOLDER.search(value)) is None:
            return entry
        if placeholder[0] != value.strip():
            raise BlockFailed("A placeholder for a secret has to stand alone in its field.")
        self._check_secret(placeholder[1], facts)
        return {**entry, "value": placeholder[0]}

    def _check_secret(self, name: str, facts: Mapping[str, Any]) -> None:
        """A secret goes into a password field of the login's own site, and nowhere else."""
        login: Mapping[str, Any] = self.ctx.names.get("login") or {}
        origins = {_origin(str(login.get(one) or "")) for one in ("homeUrl", "authenticationUrl")} - {""}
        if facts["origin"] not in origins:
            raise BlockFailed(f"`login.{name}` is typed on the login's own site, not on `{facts['origin']}`.")
        if name != "username" and not facts["isSecret"]:
            raise BlockFailed(f"`login.{name}` is typed into password fields only.")

    def _is_commit(self, kind: type[Block], data: _Json, facts: Mapping[str, Any]) -> bool:
        if kind is Mouse and data.get("action", "click") in ("click", "doubleClick"):
            return is_risky(*facts["says"])
        return kind is Input and bool(data.get("pressEnter")) and is_risky(*facts["submit"])

    async def _ask_approval(self, kind: type[Block], locator: Locator, facts: Mapping[str, Any]) -> None:
        if self.commits == "allow":
            return
        says = facts["submit"] if kind is Input else facts["says"]
        name = next((" ".join(one.split())[:80] for one in says if one.strip()), str(locator))
        what = f"The agent wants to use “{name}” ({kind.title}, {locator}), which may not be undone"
        if self.commits == "refuse":
            raise BlockFailed(f"{what}; it is not for this agent to do.")
        self.ctx.emit("approval.asked", what, {"locator": _given(locator), "type": kind.type})
        await self.heard("assistant", f"{what}. Resume the execution to allow it, cancel it to refuse.")
        await self.ctx.wait_for_word(f"{what}: resume to allow it, cancel to refuse.")
        self.ctx.emit("approval.given", f"A person allowed it: {name}")
        await self.heard("user", f"Allowed: {name}")


def _tool(kind: type[Block], fields: Sequence[str]) -> Tool:
    known: _Json = kind.model_json_schema()["properties"]
    arguments: _Json = {name: _field(known[name]) for name in fields}
    required = [name for name in fields if name in ("value", "url", "durationMs")]
    if kind.locator_use != "unused" and kind is not ClosePopup:
        arguments = {"ref": {"type": "string", "description": "Reference of the element."}, **arguments}
        required = ["ref", *required]
    schema: _Json = {"type": "object", "properties": arguments, "required": required}
    return Tool(name=kind.type, description=_PURPOSE[kind.type], arguments=schema)


def _field(schema: _Json) -> _Json:
    """A block's field without what only forms need."""
    forms = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    return {name: value for name, value in forms[0].items() if name in ("type", "enum", "minimum", "maximum")}


def _input_type(facts: Mapping[str, Any]) -> str:
    if facts["isSecret"]:
        return "SensitiveTextInput"
    if facts["tag"] == "select":
        return "Dropdown"
    if "radio" in (facts["type"], facts["role"]):
        raise BlockFailed("Radio buttons are clicked: use `Mouse`.")
    kinds = {"checkbox": "Checkbox", "switch": "Checkbox", "date": "Date"}
    return kinds.get(facts["type"]) or kinds.get(facts["role"]) or "TextInput"


def _literal(value: Any) -> Any:
    """What a model writes is text: nothing in it is a template."""
    if isinstance(value, dict):
        return {name: _literal(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - a model's own words
    return value.replace("{{", r"\{{") if isinstance(value, str) else value


def _given(locator: Locator) -> _Json:
    given = locator.model_dump(by_alias=True, exclude_none=True)
    return {name: _literal(one) for name, one in given.items()}


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


async def own_hosts(session: PageSession, *addresses: str) -> list[str]:
    """The site of the open page and of these addresses, and the hosts that the page has loaded from."""
    own = {urlsplit(one).netloc.removeprefix("www.") for one in (session.page.url, *addresses)} - {""}
    async with session.guard("read the page"):
        loaded = cast("list[str]", await session.page.evaluate(_LOADED_FROM))
    return sorted({*own, *(host for host in loaded if host)})
