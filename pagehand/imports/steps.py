"""The steps of a recording on their way to blocks: what all formats share.

A format's module reads its file and calls the methods of `Steps`. What it cannot express becomes a comment at
its place, with the reason. What was typed into a password field becomes a secret parameter.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from pagehand.errors import InvalidRequest
from pagehand.imports.locators import any_of, name_of
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.parse import REFERENCE

COMMENT: Final = "comment"
"""The only key of an item that stands for a comment among the definitions of blocks."""
TITLE: Final = {"css": "head > title"}
"""The locator of a page's title."""
_SECRET: Final = re.compile(
    r"pass(?:word|wort|wd|phrase|code)|\bpass\b|pwd|kennwort|mot ?de ?passe|contrase|wachtwoord|senha"
    r"|secret|token|\bpin\b|\botp\b|\bcvv\b|\bcvc\b|api.?key|пароль|密码|密碼|パスワード",
    re.IGNORECASE,
)
_PASSWORD_IN_URL: Final = re.compile(r"([a-z]+://[^/@:?#]*:)([^/@?#{]+)(?=@)")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME: Final = 60
_MOST_STEPS: Final = 10_000
"""With those that become comments; a workflow has far fewer blocks."""
_LEAST_FOUND: Final = 8
_LEAST_HIDDEN: Final = 3
"""Shorter texts stand in too many others to be hidden there."""


class NotMapped(Exception):
    """A step has no counterpart; the message says why."""


@dataclass(slots=True, frozen=True)
class Unmapped:
    """A step that became a comment."""

    where: str
    """Its place in the recording, such as `step 3`."""
    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.reason}"


@dataclass(slots=True)
class Steps:
    """Definitions of blocks, with comments among them, in the order of the recording."""

    where: str = ""
    """The place in the recording that is read now."""
    blocks: list[Json] = field(default_factory=list[Json])
    parameters: dict[str, Json] = field(default_factory=dict[str, Json])
    dialog: Json | None = None
    """How the next act answers a dialog."""
    tabs: list[str] = field(default_factory=lambda: [""])
    """Names of the open tabs, in the order of their opening."""
    mapped: int = 0
    """How many steps became blocks."""
    tab: str = ""
    """The current one."""
    _secrets: dict[str, str] = field(default_factory=dict[str, str])
    _count: int = 0

    def add(self, kind: str, locator: Json | None = None, *, name: str = "", **data: Any) -> Json:
        """A block; fields that are None are left out."""
        made: Json = {"type": kind, "data": {key: value for key, value in data.items() if value is not None}}
        if name:
            made["name"] = name
        if locator is not None:
            made["locator"] = locator
        made["step"] = self.where
        self.append(made)
        self.mapped += 1
        return made

    def comment(self, what: str, reason: str) -> None:
        """Keep a step that has no counterpart, as a comment."""
        self.append({COMMENT: [Unmapped(self.where, what, reason)]})

    def append(self, made: Json) -> None:
        """Add a definition of a block, or a comment; refuses what no recording has."""
        self._count += 1
        if self._count > _MOST_STEPS:
            raise InvalidRequest(f"{self.where}: the recording has more than {_MOST_STEPS:,} steps.")
        self.blocks.append(made)

    def hidden(self, text: str) -> str:
        """The text without the secrets that are known."""
        for value in sorted(self._secrets, key=len, reverse=True):
            if len(value) >= _LEAST_HIDDEN:
                text = text.replace(value, "***")
        return text

    def with_parameters(self, value: Any) -> Any:
        """A value in which the texts that are known as secrets have become their parameters."""
        if isinstance(value, str):
            return self.secret(value, "") if value in self._secrets else value
        if is_array(value):
            return [self.with_parameters(item) for item in value]
        return {key: self.with_parameters(item) for key, item in value.items()} if is_object(value) else value

    def has_secret(self, text: str) -> bool:
        """Whether a text holds a known secret: a long one anywhere, a short one in quotes."""
        return any(
            (len(value) >= _LEAST_FOUND and value in text) or f'"{value}"' in text or f"'{value}'" in text
            for value in self._secrets
        )

    @contextmanager
    def within(self, block: Json, sequence: str) -> Generator[None]:
        """Steps added meanwhile are nested in that block."""
        outer, self.blocks = self.blocks, block.setdefault("sequenceData", {}).setdefault(sequence, [])
        try:
            yield
        finally:
            self.blocks = outer

    def open(self, url: str, **data: Any) -> None:
        """Open an address; a password in it becomes a secret parameter."""
        if found := _PASSWORD_IN_URL.match(url):
            url = f"{found[1]}{self.secret(found[2], 'password')}{url[found.end(2) :]}"
        self.add("Navigate", url=url, **data)

    def act(self, kind: str, verb: str, locator: Json | None, **data: Any) -> Json:
        """A block that does something to an element, and answers the dialog that was announced."""
        dialog, self.dialog = self.dialog, None
        return self.add(kind, locator, name=_named(verb, locator), dialog=dialog, **data)

    def click(self, locator: Json, **data: Any) -> Json:
        """Click an element."""
        verb = {"doubleClick": "Double-click", "rightClick": "Right-click"}.get(data.get("action", ""))
        return self.act("Mouse", verb or "Click", locator, **data)

    def hover(self, locator: Json) -> None:
        """Rest the mouse on an element."""
        self.add("Hover", locator, name=_named("Hover over", locator))

    def fill(self, locator: Json, value: str, *, hints: str = "", **data: Any) -> Json:
        """Type into a field; a password becomes a secret parameter. `hints` say what the field is, too."""
        is_secret = is_secret_field(locator, hints)
        kind = "SensitiveTextInput" if is_secret else "TextInput"
        if (is_secret or value in self._secrets) and value and not value.startswith("{{"):
            value = self.secret(value, name_of(locator) or "password")
        key = name_of(locator) or None
        return self.act("Input", "Fill in", locator, key=key, inputType=kind, value=value, **data)

    def check(self, locator: Json, *, on: bool) -> None:
        """Set a box."""
        self.act("Input", "Set", locator, inputType="Checkbox", value="true" if on else "false")

    def upload(self, locator: Json) -> None:
        """Choose a file: which one is said when the workflow runs."""
        name = self.parameter("file", {"type": "file", "description": "The file to upload."})
        self.act("Input", "Upload to", locator, inputType="File", value=f"{{{{params.{name}}}}}")

    def choose(self, locator: Json, *values: str, by: str | None = None) -> None:
        """Choose options of a list."""
        chosen: Json = {"value": values[0]} if len(values) == 1 else {"values": list(values)}
        self.act("Dropdown", "Choose in", locator, **chosen, matchBy=by)

    def press(self, key: str, locator: Json | None = None) -> None:
        """Press a key, in the field that was filled in before if no element is named."""
        last = self.blocks[-1] if self.blocks else {}
        is_same = locator is None or locator == last.get("locator")
        if last.get("type") == "Input" and is_same and last["data"]["inputType"].endswith("TextInput"):
            last["data"].setdefault("pressKeys", []).append(key)
            self.mapped += 1
            return
        target = locator or last.get("locator")
        if target is None:
            raise NotMapped("nothing says in which field the key is pressed")
        typed: Json = {"inputType": "TextInput", "value": "", "clearFirst": False}
        self.act("Input", f"Press {key} in", target, **typed, pressKeys=[key])

    def wait_for(self, condition: Any, *, timeout_ms: int | None = None, name: str = "") -> None:
        """Wait until something is so: what other tools assert, they wait for as well."""
        self.add("WaitForCondition", name=name, condition=condition, timeoutMs=timeout_ms)

    def wait_for_value(self, locator: Json, state: str, value: str) -> None:
        """Wait until an element has a text or value."""
        self.wait_for(self.has_value(locator, state, value))

    def has_value(self, locator: Json, state: str, value: str) -> Json:
        """The condition that an element has a text or value; that of a password field is not kept."""
        if state == "valueEquals" and is_secret_field(locator) and not value.startswith("{{"):
            value = self.secret(value, name_of(locator) or "password")
        return {"element": any_of(locator), "state": state, "value": value}

    def wait_for_title(self, title: str) -> None:
        """Wait until the page's title says that."""
        self.wait_for(self.has_value(TITLE, "textContains", title))

    def in_tab(self, name: str) -> None:
        """What follows happens in that tab; raises NotMapped for one that nothing has opened."""
        if name == self.tab:
            return
        if name not in self.tabs:
            raise NotMapped(f"nothing has opened the tab `{name}`")
        self.add("Navigate", tab=self.tabs.index(name))
        self.tab = name

    def opened_tab(self, name: str) -> None:
        """The step before has opened a tab, which is the current one now."""
        self.tabs.append(name)
        self.tab = name

    def rename_tab(self, old: str, name: str) -> None:
        """The tab is called that from now on; raises NotMapped for one that nothing has opened."""
        if old not in self.tabs:
            raise NotMapped(f"nothing has opened the tab `{old}`")
        self.tabs[self.tabs.index(old)] = name
        self.tab = name if self.tab == old else self.tab

    def close_tab(self) -> None:
        """Close the current tab; its opener is the current one then."""
        self.add("ClosePage")
        if len(self.tabs) > 1:
            self.tabs.remove(self.tab)
            self.tab = self.tabs[-1]

    def secret(self, value: str, name: str) -> str:
        """The template of a secret parameter that stands for the value."""
        if value not in self._secrets:
            self._secrets[value] = self.parameter(name, {"type": "string", "required": True, "secret": True})
        return f"{{{{params.{self._secrets[value]}}}}}"

    def parameter(self, wanted: str, fields: Json) -> str:
        """The name of a new parameter."""
        stem = _NOT_IN_NAMES.sub("_", wanted.lower()).strip("_")[:_LONGEST_NAME] or "value"
        name, number = stem, 1
        while name in self.parameters:
            number += 1
            name = f"{stem}_{number}"
        self.parameters[name] = fields
        return name


def literal(text: str) -> str:
    """A text of a recording, so that nothing in it is a template; half characters are replaced."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("{{", r"\{{")


def is_secret_field(locator: Json | None, hints: str = "") -> bool:
    """Whether what is typed there must not be kept."""
    said = [str(value) for value in any_of(locator or {}).values()]
    return _SECRET.search(" ".join([*said, hints]).replace("_", " ").replace("-", " ")) is not None


def reference(text: str) -> str:
    """The text as the reference of a block."""
    made = _NOT_IN_NAMES.sub("_", text)[:_LONGEST_NAME].strip("_")
    return made if REFERENCE.fullmatch(made) else "value"


def _named(verb: str, locator: Json | None) -> str:
    return f"{verb} {name_of(locator)}".strip() if name_of(locator) else ""
