"""What an agent may do on a page: use the page blocks, within a few rules.

A secret is typed only into a password field on the login's own site. What cannot be undone waits for a
person's approval. Whatever the page says, the agent can do only these steps, and the network is limited to a
few domains.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from pagehand.blocks import kinds
from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.base import Block, CommittingBlock
from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import FoundElement
from pagehand.errors import BlockFailed, PagehandError, TemporaryTrouble
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.records import Json, Tool, ToolCall
from pagehand.workflow.allowed_domains import domain_of
from pagehand.workflow.effect_words import is_risky
from pagehand.workflow.locator import Locator

_STEP_MS: Final = 10_000
_PLACEHOLDER: Final = re.compile(r"\{\{\s*login\.([\w-]+)\s*\}\}")
_LOADED_FROM: Final = (
    "() => [...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]"
)
_TARGET: Final = on_dom(load_script(__file__, "agent_target"))


@dataclass
class PageAgentTools:
    """The tools of one agent on one page; keeps the steps that worked, as block definitions."""

    ctx: RunContext
    use_vision: bool = False
    commits: Literal["ask", "allow", "refuse"] = "ask"
    """What to do about steps that may not be undone."""
    for_recovery: bool = False
    """Only what clears the way for another block."""
    steps: list[Json] = field(default_factory=list[Json])

    @property
    def tools(self) -> Sequence[Tool]:
        """A tool per kind that declares one."""
        return [_tool(kind, use) for kind, use in self._uses.values()]

    @property
    def _uses(self) -> Mapping[str, tuple[type[Block], AgentTool]]:
        declared = ((kind, kind.agent_tool) for kind in kinds())
        return {
            kind.type: (kind, use)
            for kind, use in declared
            if use is not None and (use.helps_recovery or not self.for_recovery)
        }

    async def look(self) -> str:
        """The page in words."""
        return await self.ctx.page.describe()

    async def picture(self) -> bytes | None:
        """A screenshot, where the block wants its model to see."""
        return await self.ctx.page.screenshot() if self.use_vision else None

    async def record_message(self, role: str, text: str) -> None:
        """Keep it in the execution's thread."""
        await self.ctx.say(role, text)

    async def do(self, call: ToolCall) -> str:
        """Run the requested block; its result in words, or why it was refused or failed."""
        try:
            definition = await self._definition(call)
            await self.ctx.run_step(definition)
        except TemporaryTrouble:
            raise  # the browser or the site is gone: no step can help
        except PagehandError as refused:
            self.ctx.emit("agent.refused", f"{call.name}: {refused.message}", {"tool": call.name})
            return f"Not done: {refused.message}"
        # short only for the agent, who may try something else; a block in a workflow has the usual time
        definition["data"].pop("timeoutMs", None)
        self.steps.append(definition)
        return "Done."

    async def repeat(self, step: Json) -> Any:
        """Run a step of an earlier run under the same rules; its output."""
        if locator := step.get("locator"):
            wanted = Locator.model_validate(self.ctx.resolve(locator))
            found = await self.ctx.page.find(wanted, "touch", timeout_seconds=_STEP_MS / 1000)
            kind, target = kinds()[step["type"]], await _target(found, wanted)
            for name in kind.secret_fields & step["data"].keys():
                if placeholder := _PLACEHOLDER.fullmatch(str(step["data"][name])):
                    self._check_secret(placeholder[1], target)
            await self._allow(kind, step["data"], wanted, target)
        return await self.ctx.run_step(step)

    async def _definition(self, call: ToolCall) -> Json:
        """The block that is asked for, with all that a model may not decide decided."""
        if call.name not in self._uses:
            raise BlockFailed(f"There is no tool `{call.name}`.")
        kind, use = self._uses[call.name]
        # models invent arguments; only those that the kind declares go into a block
        given = {name: call.arguments[name] for name in use.fields if call.arguments.get(name) is not None}
        data: Json = {name: _literal(value) for name, value in given.items()}
        if not use.acts_on_element:
            data = kind.agent_data(data, None)
            return {"type": kind.type, "data": {**data, "timeoutMs": _STEP_MS}}
        # models write it as they see it in the description: `[ref=12]`
        reference = str(call.arguments.get("ref") or "").strip("[] ").removeprefix("ref=")
        found, locator = await self.ctx.page.find_by_reference(reference)
        target = await _target(found, locator)
        data = kind.agent_data(data, target)
        for name in kind.secret_fields & given.keys():
            data[name] = self._secret_or_text(str(given[name]), target)
        if await self._allow(kind, data, locator, target) and issubclass(kind, CommittingBlock):
            data["isCommit"] = True
        return {"type": kind.type, "data": {**data, "timeoutMs": _STEP_MS}, "locator": _given(locator)}

    def _secret_or_text(self, value: str, target: AgentTarget) -> str:
        if (placeholder := _PLACEHOLDER.search(value)) is None:
            return _literal(value)
        if placeholder[0] != value.strip():
            raise BlockFailed("A placeholder for a secret has to stand alone in its field.")
        self._check_secret(placeholder[1], target)
        return placeholder[0]

    def _check_secret(self, name: str, target: AgentTarget) -> None:
        """A secret goes into a password field of the login's own site, and nowhere else."""
        login: Mapping[str, Any] = self.ctx.names.get("login") or {}
        origins = {_origin(str(login.get(item) or "")) for item in ("homeUrl", "authenticationUrl")} - {""}
        if target.origin not in origins:
            raise BlockFailed(f"`login.{name}` is typed on the login's own site, not on `{target.origin}`.")
        if name != "username" and not target.is_secret:
            raise BlockFailed(f"`login.{name}` is typed into password fields only.")

    async def _allow(self, kind: type[Block], data: Json, locator: Locator, target: AgentTarget) -> bool:
        """True when the step may not be undone and may be taken all the same."""
        presses = kind.agent_presses(data, target)
        if not is_risky(*presses):
            return False
        await self._ask_approval(kind, locator, presses)
        return True

    async def _ask_approval(self, kind: type[Block], locator: Locator, says: Sequence[str]) -> None:
        if self.commits == "allow":
            return
        name = next((" ".join(sentence.split())[:80] for sentence in says if sentence.strip()), str(locator))
        wish = f"The agent wants to use “{name}” ({kind.title}, {locator}), which may not be undone"
        if self.commits == "refuse":
            raise BlockFailed(f"{wish}; it is not for this agent to do.")
        self.ctx.emit("approval.asked", wish, {"locator": _given(locator), "type": kind.type})
        await self.record_message(
            "assistant", f"{wish}. Resume the execution to allow it, cancel it to refuse."
        )
        await self.ctx.wait_for_approval(f"{wish}.")
        self.ctx.emit("approval.given", f"A person allowed it: {name}")
        await self.record_message("user", f"Allowed: {name}")


async def _target(found: FoundElement, locator: Locator) -> AgentTarget:
    return AgentTarget.read(_literal(str(locator)), await found.element.evaluate(_TARGET))


def _tool(kind: type[Block], use: AgentTool) -> Tool:
    known: Json = kind.model_json_schema()["properties"]
    arguments: Json = {name: _field(known[name]) for name in use.fields}
    required = list(use.required)
    if use.acts_on_element:
        arguments = {"ref": {"type": "string", "description": "Reference of the element."}, **arguments}
        required = ["ref", *required]
    schema: Json = {"type": "object", "properties": arguments, "required": required}
    return Tool(name=kind.type, description=use.purpose, arguments=schema)


def _field(schema: Json) -> Json:
    """A block's field without what only forms need."""
    forms = [item for item in schema.get("anyOf", [schema]) if item.get("type") != "null"]
    return {name: value for name, value in forms[0].items() if name in ("type", "enum", "minimum", "maximum")}


def _literal(value: Any) -> Any:
    """What a model writes is text: nothing in it is a template."""
    if isinstance(value, dict):
        return {name: _literal(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - a model's own words
    return value.replace("{{", r"\{{") if isinstance(value, str) else value


def _given(locator: Locator) -> Json:
    given = locator.as_given()
    return {name: _literal(value) for name, value in given.items()}


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


async def own_hosts(session: BrowserSession, *addresses: str) -> list[str]:
    """The site of the open page and of these addresses, and the hosts that the page has loaded from."""
    async with session.guard("read the page"):
        loaded: list[str] = await session.page.evaluate(_LOADED_FROM)
    own = {domain_of(url) for url in (session.page.url, *addresses)}
    others = {domain_of(f"//{host}") for host in loaded}
    return sorted({*(item.removeprefix("www.") for item in own if item), *(item for item in others if item)})
