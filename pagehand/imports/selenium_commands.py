"""The commands of Selenium IDE that are steps of their own."""

import re
from collections.abc import Callable
from typing import Any, ClassVar, Final
from urllib.parse import urljoin

import orjson

from pagehand.imports.locators import attribute_css, strict, xpath_text
from pagehand.imports.steps import NotMapped, Steps, is_secret_field, literal, reference
from pagehand.records import Json, is_object

VARIABLE: Final = re.compile(r"\$\{([A-Za-z_]\w*)\}")
NAME: Final = re.compile(r"[A-Za-z_][\w-]*")
_KEY: Final = re.compile(r"\$\{KEY_(\w+)\}")
_KEYS: Final = {
    "ENTER": "Enter",
    "RETURN": "Enter",
    "TAB": "Tab",
    "ESC": "Escape",
    "ESCAPE": "Escape",
    "SPACE": "Space",
    "BACKSPACE": "Backspace",
    "BKSP": "Backspace",
    "DELETE": "Delete",
    "DEL": "Delete",
    "UP": "ArrowUp",
    "DOWN": "ArrowDown",
    "LEFT": "ArrowLeft",
    "RIGHT": "ArrowRight",
    "HOME": "Home",
    "END": "End",
    "PAGE_UP": "PageUp",
    "PGUP": "PageUp",
    "PAGE_DOWN": "PageDown",
    "PGDN": "PageDown",
}
_TOKEN: Final = re.compile(
    r"""(?:(?P<variable>\$\{[A-Za-z_]\w*\})|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|"""
    r"""(?P<number>\d+(?:\.\d+)?)|(?P<word>true|false|null|undefined)|"""
    r"""(?P<operator>===|!==|==|!=|<=|>=|&&|\|\||[<>!()+*/%-]))"""
)
_LONGEST_CONDITION: Final = 2000
_OPERATORS: Final = {"===": "==", "!==": "!=", "&&": "and", "||": "or", "!": "not"}
_WORDS: Final = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_STATES: Final = {
    "ElementPresent": "exists",
    "ElementNotPresent": "count=0",
    "ElementVisible": "visible",
    "ElementNotVisible": "hidden",
    "Checked": "checked",
    "NotChecked": "unchecked",
    "Editable": "enabled",
    "NotEditable": "disabled",
    "ElementEditable": "enabled",
    "ElementNotEditable": "disabled",
}


class Commands:
    """The commands that are steps, and what the variables in their texts mean."""

    def __init__(self, url: str) -> None:
        self.steps = Steps()
        self.window = ""
        """The window that commands act in; a click that opens another one does not change it."""
        self._url = url
        self.values: dict[str, str] = {}
        """What `${name}` means now: a path such as `blocks.name`."""
        self.unclear: dict[str, str] = {}
        """Names whose value cannot be known here, and why."""
        self._taken: set[str] = set()
        self._frames: list[str] = []

    def _open(self, target: str, value: str) -> None:
        del value
        self.steps.open(self._text(target if "${" in target[:2] else urljoin(self._url, target)))

    def _click(self, target: str, value: str) -> None:
        del value
        self.steps.click(self._locator(target))

    def _double_click(self, target: str, value: str) -> None:
        del value
        self.steps.click(self._locator(target), action="doubleClick")

    def _hover(self, target: str, value: str) -> None:
        del value
        self.steps.hover(self._locator(target))

    def _drag(self, target: str, value: str) -> None:
        to = self._locator(value)
        self.steps.act("Mouse", "Drag", self._locator(target), action="drag", toLocator=to)

    def _type(self, target: str, value: str) -> None:
        self.steps.fill(self._locator(target), self._text(value), hints=target)

    def _send_keys(self, target: str, value: str) -> None:
        locator = self._locator(target)
        for number, piece in enumerate(_KEY.split(value)):
            if number % 2 == 0 and piece:
                self.steps.fill(locator, self._text(piece), hints=target, clearFirst=False)
            elif number % 2:
                if piece not in _KEYS:
                    raise NotMapped(f"the key `{piece}` is not known")
                self.steps.press(_KEYS[piece], locator)

    def _edit(self, target: str, value: str) -> None:
        self.steps.fill(self._locator(target), self._text(value))

    def _check(self, target: str, value: str) -> None:
        del value
        self.steps.check(self._locator(target), on=True)

    def _uncheck(self, target: str, value: str) -> None:
        del value
        self.steps.check(self._locator(target), on=False)

    def _select(self, target: str, value: str) -> None:
        how, _, what = value.partition("=")
        by = {"label": "text", "value": "value", "index": "index"}.get(how)
        if how == "id":
            raise NotMapped("options are chosen by label, value or index")
        self.steps.choose(self._locator(target), self._text(what if by else value), by=by or "text")

    def _pause(self, target: str, value: str) -> None:
        duration = (target or value).strip()
        if not duration.isdigit() or len(duration) > 9:  # noqa: PLR2004 - days
            raise NotMapped("the time is not a number")
        self.steps.add("Wait", durationMs=int(duration))

    def _close(self, target: str, value: str) -> None:
        del target, value
        self.steps.close_tab()
        self.window = self.steps.tab

    def _select_frame(self, target: str, value: str) -> None:
        del value
        how, _, what = target.partition("=")
        if target == "relative=top":
            self._frames = []
        elif target == "relative=parent":
            self._frames = self._frames[:-1]
        elif how == "index":
            self._frames.append("iframe, frame")
        else:
            locator = self._locator(target)
            if "css" not in locator:
                raise NotMapped("frames are named by CSS, id or name")
            self._frames.append(locator["css"] if how != "name" else what)

    def _store_window(self, target: str, value: str) -> None:
        name = target or value
        self.steps.rename_tab(self.window, name)
        self.window = name

    def _select_window(self, target: str, value: str) -> None:
        del value
        how, _, what = target.partition("=")
        found = VARIABLE.fullmatch(what)
        if how != "handle" or found is None:
            raise NotMapped("tabs are named by their handle")
        self.steps.in_tab(found[1])
        self.window = found[1]

    def _accept_dialog(self, target: str, value: str) -> None:
        """Selenium answers after the act that opens the dialog, or announces the answer before it."""
        del value
        answer: Json = {"action": "accept", **({"text": self._text(target)} if target else {})}
        self._answer(answer)

    def _dismiss_dialog(self, target: str, value: str) -> None:
        del target, value
        self._answer({"action": "dismiss"})

    def _announce_accept(self, target: str, value: str) -> None:
        del value
        self.steps.dialog = {"action": "accept", **({"text": self._text(target)} if target else {})}

    def _announce_dismiss(self, target: str, value: str) -> None:
        del target, value
        self.steps.dialog = {"action": "dismiss"}

    def _answer(self, answer: Json) -> None:
        last = self.steps.blocks[-1] if self.steps.blocks else {}
        if last.get("type") not in ("Mouse", "Input", "Dropdown"):
            raise NotMapped("nothing before it opens a dialog")
        last["data"]["dialog"] = answer
        self.steps.mapped += 1

    def _assert_dialog(self, target: str, value: str) -> None:
        """The text of a dialog is said where the dialog is answered."""
        del value
        last = self.steps.blocks[-1] if self.steps.blocks else {}
        if last.get("type") not in ("Mouse", "Input", "Dropdown"):
            raise NotMapped("nothing before it opens a dialog")
        dialog = last["data"].setdefault("dialog", {"action": "accept"})
        dialog["messageContains"] = self._text(target)
        self.steps.mapped += 1

    def _store(self, target: str, value: str) -> None:
        if is_secret_field(None, value):
            self.values[value] = self.steps.secret(self._text(target), value)[2:-2]
            return
        self.store_as(value, "Transform", input=self._text(target), code="input")

    def _store_text(self, target: str, value: str) -> None:
        self._read(target, value, None)

    def _store_value(self, target: str, value: str) -> None:
        self._read(target, value, "value")

    def _store_attribute(self, target: str, value: str) -> None:
        locator, _, attribute = target.rpartition("@")
        self._read(locator, value, attribute)

    def _store_count(self, target: str, value: str) -> None:
        fields = {"all": {"locator": _any(self._locator(target)), "many": True}}
        made = self.store_as(value, "Extract", fields=fields)
        made["transformerFn"] = 'lambda output, context: len(output["all"])'

    def _store_title(self, target: str, value: str) -> None:
        self.store_as(value or target, "Extract", fields={"title": {"locator": {"css": "title"}}})
        self.values[value or target] += ".title"

    def _store_json(self, target: str, value: str) -> None:
        try:
            parsed = orjson.loads(target)
        except orjson.JSONDecodeError as error:
            raise NotMapped(f"it is not JSON: {error.msg}") from error
        self.store_as(value, "Transform", input=_literals(parsed), code="input")

    def _execute_script(self, target: str, value: str) -> None:
        """JavaScript in the page; the variables in it are its inputs."""
        names = list(dict.fromkeys(VARIABLE.findall(target)))
        inputs = {name: f"{{{{{self.path(name)}}}}}" for name in names} or None
        script = VARIABLE.sub(r"inputs.\1", target)
        code = f"async (inputs) => {{ {script} }}"
        if value:
            self.store_as(value, "CodeV2", language="javascript", code=code, inputs=inputs)
        else:
            self.steps.add("CodeV2", language="javascript", code=code, inputs=inputs)

    def _assert_variable(self, target: str, value: str) -> None:
        condition = f"str({self.path(target)}) != {_python_text(value)}"
        if "${" in value:
            condition = f"str({self.path(target)}) != str({self.expression(value)})"
        self.steps.add("FailOnCondition", condition=condition, message=literal(f"{target} is not {value}"))

    def _read(self, target: str, name: str, attribute: str | None) -> None:
        field: Json = {"locator": _any(self._locator(target)), "required": True}
        if attribute:
            field["attribute"] = attribute
        self.store_as(name, "Extract", fields={"value": field})
        self.values[name] += ".value"

    def store_as(self, name: str, kind: str, **data: Any) -> Json:
        """A block whose output a variable stands for from now on."""
        if not NAME.fullmatch(name):
            raise NotMapped(f"`{name}` is not the name of a variable")
        made = self.steps.add(kind, **data)
        stem, number = reference(name), 1
        made["blockReferenceId"] = stem
        while made["blockReferenceId"] in self._taken:
            number += 1
            made["blockReferenceId"] = f"{stem}_{number}"
        self._taken.add(made["blockReferenceId"])
        self.values[name] = f"blocks.{made['blockReferenceId']}"
        self.unclear.pop(name, None)
        return made

    def check_page(self, what: str, target: str, value: str) -> bool:
        """Wait for what is asserted; False for what needs a block of its own."""
        if what in _STATES:
            self.steps.wait_for({"element": _any(self._locator(target)), "state": _STATES[what]})
        elif what in ("Text", "Value"):
            state = "textContains" if what == "Text" else "valueEquals"
            self.steps.wait_for_value(self._locator(target), state, self._text(value))
        elif what == "SelectedValue":
            self.steps.wait_for_value(self._locator(target), "valueEquals", self._text(value))
        elif what == "NotText":
            element = {
                "element": _any(self._locator(target)),
                "state": "textContains",
                "value": self._text(value),
            }
            self.steps.add("FailOnCondition", condition=element)
        else:
            return False
        return True

    def path(self, name: str) -> str:
        """The path of a variable; raises NotMapped if nothing says what it is."""
        if name in self.unclear:
            raise NotMapped(f"`{name}` cannot be read here: {self.unclear[name]}")
        if name not in self.values:
            raise NotMapped(f"nothing stores `{name}` before")
        return self.values[name]

    def _text(self, text: str) -> str:
        """A text with its variables as templates."""
        pieces = VARIABLE.split(text)
        return "".join(
            f"{{{{{self.path(piece)}}}}}" if number % 2 else literal(piece)
            for number, piece in enumerate(pieces)
        )

    def expression(self, script: str) -> str:
        """A condition in JavaScript as the expression in Python that means the same."""
        made, rest = list[str](), script.strip()
        while rest and len(script) <= _LONGEST_CONDITION:
            found = _TOKEN.match(rest)
            if found is None:
                break
            made.append(self._token(found))
            rest = rest[found.end() :].lstrip()
        if rest:
            raise NotMapped(f"the condition `{script[:100]}` is not read")
        if not made:
            raise NotMapped("it has no condition")
        return _with_numbers(made)

    def _token(self, found: re.Match[str]) -> str:
        if variable := found["variable"]:
            return self.path(variable[2:-1])
        if text := found["text"]:
            return _python_text(re.sub(r"\\(.)", r"\1", text[1:-1]))
        if operator := found["operator"]:
            return _OPERATORS.get(operator, operator)
        return _WORDS.get(found["word"] or "", found["number"] or "")

    def _locator(self, target: str) -> Json:
        how, found, what = target.partition("=")
        text = self._text(what)
        if target.startswith(("//", "(//")):
            made = strict(xpath=self._text(target))
        elif found and how in _LOCATORS:
            made = _LOCATORS[how](text)
        else:
            raise NotMapped(f"the locator `{target[:100]}` is not read")
        if len(self._frames) > 1:
            raise NotMapped("it is in a frame inside a frame")
        return {**made, "frame": self._frames[0]} if self._frames else made

    TABLE: ClassVar[dict[str, Callable[["Commands", str, str], None]]] = {
        "open": _open,
        "click": _click,
        "clickAt": _click,
        "doubleClick": _double_click,
        "doubleClickAt": _double_click,
        "mouseOver": _hover,
        "dragAndDropToObject": _drag,
        "type": _type,
        "sendKeys": _send_keys,
        "editContent": _edit,
        "check": _check,
        "uncheck": _uncheck,
        "select": _select,
        "addSelection": _select,
        "pause": _pause,
        "close": _close,
        "selectFrame": _select_frame,
        "storeWindowHandle": _store_window,
        "selectWindow": _select_window,
        "acceptAlert": _accept_dialog,
        "acceptConfirmation": _accept_dialog,
        "answerPrompt": _accept_dialog,
        "webdriverAnswerOnVisiblePrompt": _accept_dialog,
        "webdriverChooseOkOnVisibleConfirmation": _accept_dialog,
        "webdriverChooseCancelOnVisibleConfirmation": _dismiss_dialog,
        "webdriverChooseCancelOnVisiblePrompt": _dismiss_dialog,
        "dismissConfirmation": _dismiss_dialog,
        "dismissPrompt": _dismiss_dialog,
        "chooseOkOnNextConfirmation": _announce_accept,
        "answerOnNextPrompt": _announce_accept,
        "chooseCancelOnNextConfirmation": _announce_dismiss,
        "chooseCancelOnNextPrompt": _announce_dismiss,
        "assertAlert": _assert_dialog,
        "assertConfirmation": _assert_dialog,
        "assertPrompt": _assert_dialog,
        "store": _store,
        "storeText": _store_text,
        "storeValue": _store_value,
        "storeAttribute": _store_attribute,
        "storeElementCount": _store_count,
        "storeXpathCount": _store_count,
        "storeTitle": _store_title,
        "storeJson": _store_json,
        "executeScript": _execute_script,
        "executeAsyncScript": _execute_script,
        "runScript": _execute_script,
        "assert": _assert_variable,
        "verify": _assert_variable,
    }
    """What each command does."""


_CONTAINS: Final = re.compile(r"""([^:]*):contains\((["'])([^"']*)\2\)""")


def _with_contains(css: str) -> Json:
    """CSS; `:contains` is Selenium's own."""
    found = _CONTAINS.fullmatch(css)
    return strict(css=found[1] or "*", text=found[3]) if found else strict(css=css)


def _by_id(name: str) -> Json:
    return strict(css=f"#{name}" if NAME.fullmatch(name) else attribute_css("id", name))


_LOCATORS: Final[dict[str, Callable[[str], Json]]] = {
    "id": _by_id,
    "name": lambda text: strict(css=attribute_css("name", text)),
    "css": _with_contains,
    "xpath": lambda text: strict(xpath=text),
    "link": lambda text: strict(role="link", text=text.removeprefix("exact:")),
    "linkText": lambda text: strict(role="link", text=text),
    "partialLinkText": lambda text: strict(xpath=f"//a[contains(normalize-space(.), {xpath_text(text)})]"),
    "class": lambda text: strict(css=f".{text}"),
}


def _any(locator: Json) -> Json:
    return {key: value for key, value in locator.items() if key != "strict"}


def _literals(value: Any) -> Any:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return [_literals(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    return {literal(key): _literals(item) for key, item in value.items()} if is_object(value) else value


def _python_text(text: str) -> str:
    return repr(text)


def _with_numbers(tokens: list[str]) -> str:
    """Stored texts are numbers where they are compared with one, as in JavaScript."""
    made = list(tokens)
    for at in range(1, len(tokens) - 1):
        if tokens[at] in ("<", ">", "<=", ">=", "=="):
            for one, other in ((at - 1, at + 1), (at + 1, at - 1)):
                if re.fullmatch(r"[\d.]+", tokens[one]) and re.fullmatch(r"[A-Za-z_][\w.]*", tokens[other]):
                    made[other] = f"float({tokens[other]})"
    return " ".join(made)
