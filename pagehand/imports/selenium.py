"""Projects of Selenium IDE (`.side`): each test of one is a workflow.

Stored values are outputs of blocks; `${name}` reads the one that was stored last. Blocks have no variables
that change from round to round, so a loop that counts one up stays a comment. What a test verifies or asserts
is waited for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pagehand.imports.reading import objects, text_of
from pagehand.imports.selenium_commands import NAME, TABLE, VARIABLE, Commands
from pagehand.imports.steps import NotMapped, Steps, is_secret_field
from pagehand.records import Json, is_object
from pagehand.workflow.parse import MAX_DEPTH

_ENDS: Final = frozenset(("end", "else", "elseIf", "repeatIf"))
_CHECKS: Final = re.compile(r"(?:assert|verify|waitFor)(\w+)")
_OF_WINDOWS: Final = frozenset(("selectWindow", "storeWindowHandle"))
_MOST_ROUNDS: Final = 1000


def is_selenium(given: Any) -> bool:
    """Whether it looks like a project of this tool."""
    return is_object(given) and "tests" in given


@dataclass(slots=True, frozen=True)
class Project:
    """The tests of a project, by name."""

    url: str
    tests: dict[str, list[Json]]


def read_project(given: Json) -> Project:
    """The project; raises InvalidRequest with the place of what is wrong."""
    tests: dict[str, list[Json]] = {}
    for number, test in enumerate(objects(given, "tests", "the project"), 1):
        at = f"test {number}"
        tests[text_of(test, "name", at) or at] = objects(test, "commands", at)
    return Project(text_of(given, "url", "the project"), tests)


def import_selenium(project: Project, name: str) -> Steps:
    """The steps of one test."""
    reader = _Reader(project)
    reader.read_test(name, ())
    return reader.steps


class _Reader(Commands):
    def __init__(self, project: Project) -> None:
        super().__init__(project.url)
        self._project = project
        self._nesting = 0

    def read_test(self, name: str, around: tuple[str, ...]) -> None:
        """Read the commands of a test."""
        commands = self._project.tests.get(name)
        if commands is None:
            raise NotMapped(f"there is no test `{name}`")
        if name in around:
            raise NotMapped("tests run each other without end")
        where = f"{name}, " if len(self._project.tests) > 1 else ""
        numbered = [(f"{where}command {number}", command) for number, command in enumerate(commands, 1)]
        self._sequence(numbered, (*around, name))

    def _sequence(self, commands: list[tuple[str, Json]], around: tuple[str, ...]) -> None:
        at = 0
        while at < len(commands):
            where, command = commands[at]
            self.steps.where = where
            name = text_of(command, "command", where)
            end = at + 1
            if name in ("if", "while", "times", "forEach", "do"):
                end = _end_of(commands, at)
            try:
                if end > at + 1:
                    self._control(name, commands[at:end], around)
                else:
                    self._command(name, command, where, around)
            except NotMapped as problem:
                self._keep(commands[at:end], str(problem))
            at = end

    def _keep(self, commands: list[tuple[str, Json]], problem: str) -> None:
        for number, (where, command) in enumerate(commands):
            self.steps.where = where
            self.steps.comment(self._shown(command), "it is part of the step before" if number else problem)
            stored = str(command.get("value") or "")
            if _stores(str(command.get("command", ""))) and NAME.fullmatch(stored):
                self.unclear[stored] = "what stores it has no counterpart"

    def _shown(self, command: Json) -> str:
        fields = [str(command.get(key) or "") for key in ("command", "target", "value")]
        if is_secret_field(None, " ".join(fields[:2])) and fields[2]:
            fields[2] = "***"
        return " | ".join(fields).rstrip(" |")

    def _command(self, name: str, command: Json, where: str, around: tuple[str, ...]) -> None:
        target, value = text_of(command, "target", where), text_of(command, "value", where)
        if name.startswith("//") or not name:
            raise NotMapped("it is switched off")
        if name == "run":
            self.read_test(target, around)
            return
        if (check := _CHECKS.fullmatch(name)) and self.check_page(check[1], target, value):
            return
        done = TABLE.get(name)
        if done is None:
            raise NotMapped("there is no block for it")
        if name not in _OF_WINDOWS:
            self.steps.in_tab(self.window)
        done(self, target, value)
        if command.get("opensWindow") is True:
            self._opened_window(text_of(command, "windowHandleName", where))

    def _opened_window(self, handle: str) -> None:
        last = self.steps.blocks[-1] if self.steps.blocks else {}
        if last.get("type") == "Mouse":
            last["data"]["expect"] = "popup"
            self.steps.opened_tab(handle)

    # control flow

    def _control(self, name: str, commands: list[tuple[str, Json]], around: tuple[str, ...]) -> None:
        where, head = commands[0]
        target, value = text_of(head, "target", where), text_of(head, "value", where)
        self._nesting += 1
        try:
            self._nested(name, target, value, commands, around)
        finally:
            self._nesting -= 1

    def _nested(
        self, name: str, target: str, value: str, commands: list[tuple[str, Json]], around: tuple[str, ...]
    ) -> None:
        if self._nesting > MAX_DEPTH - 1:
            raise NotMapped(f"it is nested more than {MAX_DEPTH} deep")
        parts = list(_branches(commands))
        changing = _stored_in(commands)
        if name == "if":
            self._if(parts, around)
            return
        self._refuse_changing(commands, changing)
        self._loop(name, target, value, parts, around)
        for changed in changing:
            self.unclear[changed] = "it depends on the round that ran last"

    def _if(self, parts: list[tuple[str, Json, list[tuple[str, Json]]]], around: tuple[str, ...]) -> None:
        where, head, body = parts[0]
        if text_of(head, "command", where) == "else":
            self._sequence(body, around)
            return
        block = self.steps.add("If", condition=self.expression(text_of(head, "target", where)))
        before = dict(self.values)
        with self.steps.within(block, "trueSequence"):
            self._sequence(body, around)
        after_true, self.values = self.values, dict(before)
        if parts[1:]:
            with self.steps.within(block, "falseSequence"):
                self._if(parts[1:], around)
        after_false, self.values = self.values, before
        self._join(after_true, after_false)

    def _join(self, after_true: dict[str, str], after_false: dict[str, str]) -> None:
        """What either branch has stored is read from the one that ran, else it is what it was before."""
        before = dict(self.values)
        for name in dict.fromkeys((*after_true, *after_false)):
            paths = [values.get(name) for values in (after_true, after_false)]
            changed = [path for path in paths if path and path != before.get(name)]
            stored = [*changed, *([before[name]] if name in before else [])]
            if changed:
                given = [f"{{{{{path}}}}}" for path in stored]
                code = "next((value for value in input if value is not None), None)"
                self.store_as(name, "Transform", input=given, code=code)
                self.steps.mapped -= 1  # no step of the test's own

    def _loop(
        self,
        name: str,
        target: str,
        value: str,
        parts: list[tuple[str, Json, list[tuple[str, Json]]]],
        around: tuple[str, ...],
    ) -> None:
        data: Json = {}
        if name == "times":
            found = VARIABLE.fullmatch(target.strip())
            if found is None and not target.strip().isdigit():
                raise NotMapped("how often is not a number")
            data["over"] = {"times": f"{{{{{self.path(found[1])}}}}}" if found else int(target)}
        elif name == "forEach":
            data |= {"over": {"items": f"{{{{{self.path(target)}}}}}"}, "itemName": value}
        elif name == "while":
            data["over"] = {"while": self.expression(target)}
        else:
            data["over"] = {"times": _MOST_ROUNDS}
        block = self.steps.add("LoopV2", **data)
        known = dict(self.values)
        if name == "forEach":
            self.values[value] = value
        with self.steps.within(block, "sequence"):
            self._sequence(parts[0][2], around)
            if name == "do":
                # after the body, since it may read what the round has stored
                last_where, last, _ = parts[-1]
                again = self.expression(text_of(last, "target", last_where))
                self.steps.add("ExitFromLoop", condition=f"not ({again})")
        self.values = known

    def _refuse_changing(self, commands: list[tuple[str, Json]], changing: set[str]) -> None:
        """Refuse a loop that reads a variable before it stores it: blocks do not know the last round."""
        stored: set[str] = set()
        for where, command in commands:
            texts = text_of(command, "target", where) + text_of(command, "value", where)
            for read in (set(VARIABLE.findall(texts)) & changing) - stored:
                raise NotMapped(f"the variable `{read}` changes from round to round")
            if _stores(text_of(command, "command", where)):
                stored.add(text_of(command, "value", where))


def _end_of(commands: list[tuple[str, Json]], start: int) -> int:
    """The place behind the end of a block of commands; raises NotMapped without one."""
    depth = 0
    for at in range(start, len(commands)):
        name = str(commands[at][1].get("command", ""))
        if name in ("if", "while", "times", "forEach", "do"):
            depth += 1
        elif name in ("end", "repeatIf"):
            depth -= 1
            if depth == 0:
                return at + 1
    return len(commands)


def _branches(commands: list[tuple[str, Json]]) -> Iterator[tuple[str, Json, list[tuple[str, Json]]]]:
    """The parts of a block of commands, each with the command that begins it; the last one is its end."""
    depth, (where, head), body = 0, commands[0], list[tuple[str, Json]]()
    for place, command in commands[1:]:
        name = str(command.get("command", ""))
        if depth == 0 and name in _ENDS:
            yield where, head, body
            where, head, body = place, command, []
            continue
        depth += (name in ("if", "while", "times", "forEach", "do")) - (name in ("end", "repeatIf"))
        body.append((place, command))
    if str(head.get("command", "")) != "end":
        yield where, head, body


def _stores(command: str) -> bool:
    return command.startswith(("store", "executeScript", "executeAsyncScript"))


def _stored_in(commands: list[tuple[str, Json]]) -> set[str]:
    stored = {
        str(command.get("value") or "") for _, command in commands if _stores(str(command.get("command", "")))
    }
    return stored - {""}
