"""The commands of Selenium IDE that are steps of their own."""

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urljoin

import orjson

from pagehand.imports.locators import any_of, attribute_css, strict, xpath_text
from pagehand.imports.steps import TITLE, NotMapped, Steps, is_secret_field, literal, reference
from pagehand.records import Json, is_object
from pagehand.workflow.words import by_word

VARIABLE: Final = re.compile(r"\$\{([A-Za-z_]\w*)\}")
NAME: Final = re.compile(r"[A-Za-z_][\w-]*")
_KEY: Final = re.compile(r"\$\{KEY_(\w+)\}")
_KEYS: Final = by_word(
    {name: name.upper() for name in ("Tab", "Space", "Home", "End")}
    | {"Enter": "ENTER|RETURN", "Escape": "ESC|ESCAPE", "Backspace": "BACKSPACE|BKSP", "Delete": "DELETE|DEL"}
    | {f"Arrow{way}": way.upper() for way in ("Up", "Down", "Left", "Right")}
    | {"PageUp": "PAGE_UP|PGUP", "PageDown": "PAGE_DOWN|PGDN"}
)
_TOKEN: Final = re.compile(
    r"""(?:(?P<variable>\$\{[A-Za-z_]\w*\})|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|"""
    r"""(?P<number>\d+(?:\.\d+)?)|(?P<word>true|false|null|undefined)|"""
    r"""(?P<operator>===|!==|==|!=|<=|>=|&&|\|\||[<>!()+*/%-]))"""
)
_LONGEST_CONDITION: Final = 2000
_OPERATORS: Final = {"===": "==", "!==": "!=", "&&": "and", "||": "or", "!": "not"}
_WORDS: Final = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_STATES: Final = by_word(
    {
        "exists": "ElementPresent",
        "count=0": "ElementNotPresent",
        "visible": "ElementVisible",
        "hidden": "ElementNotVisible",
        "checked": "Checked",
        "unchecked": "NotChecked",
        "enabled": "Editable|ElementEditable",
        "disabled": "NotEditable|ElementNotEditable",
    }
)
_COMPARED: Final = {
    "Text": "textContains",
    "SelectedLabel": "textContains",
    "Value": "valueEquals",
    "SelectedValue": "valueEquals",
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
        self._given: dict[str, str] = {}
        """The parameters that variables have become."""
        self._frames: list[str] = []

    def open(self, target: str, *_: object) -> None:
        """Open an address of the site."""
        self.steps.open(self.text(target if "${" in target[:2] else urljoin(self._url, target)))

    def send_keys(self, target: str, value: str) -> None:
        """Type texts and press keys, in the order in which they stand."""
        locator = self.locator(target)
        for number, piece in enumerate(_KEY.split(value)):
            if number % 2 == 0 and piece:
                self.steps.fill(locator, self.text(piece), hints=target, clearFirst=False)
            elif number % 2:
                if piece not in _KEYS:
                    raise NotMapped(f"the key `{piece}` is not known")
                self.steps.press(_KEYS[piece], locator)

    def select(self, target: str, value: str) -> None:
        """Choose an option."""
        how, _, what = value.partition("=")
        by = {"label": "text", "value": "value", "index": "index"}.get(how)
        if how == "id":
            raise NotMapped("options are chosen by label, value or index")
        self.steps.choose(self.locator(target), self.text(what if by else value), by=by or "text")

    def pause(self, target: str, value: str) -> None:
        """Wait for a number of milliseconds."""
        duration = (target or value).strip()
        if not duration.isdigit() or len(duration) > 9:  # noqa: PLR2004 - days
            raise NotMapped("the time is not a number")
        self.steps.add("Wait", durationMs=int(duration))

    def close(self, *_: object) -> None:
        """Close the window."""
        self.steps.close_tab()
        self.window = self.steps.tab

    def select_frame(self, target: str, *_: object) -> None:
        """Commands act in that frame from now on."""
        how, __, what = target.partition("=")
        if target == "relative=top":
            self._frames = []
        elif target == "relative=parent":
            self._frames = self._frames[:-1]
        elif how == "index":
            self._frames.append("iframe, frame")
        else:
            locator = self.locator(target)
            if "css" not in locator:
                raise NotMapped("frames are named by CSS, id or name")
            self._frames.append(locator["css"] if how != "name" else what)

    def store_window(self, target: str, value: str) -> None:
        """Name the window that commands act in."""
        name = target or value
        self.steps.rename_tab(self.window, name)
        self.window = name

    def select_window(self, target: str, *_: object) -> None:
        """Commands act in that window from now on."""
        how, __, what = target.partition("=")
        found = VARIABLE.fullmatch(what)
        if how != "handle" or found is None:
            raise NotMapped("tabs are named by their handle")
        self.steps.in_tab(found[1])
        self.window = found[1]

    def accepted(self, text: str) -> Json:
        """The answer that accepts a dialog, with what is typed into it."""
        return {"action": "accept", **({"text": self.text(text)} if text else {})}

    def answer(self, answer: Json) -> None:
        """Of the dialog that the act before has opened."""
        last = self.steps.blocks[-1] if self.steps.blocks else {}
        if last.get("type") not in ("Mouse", "Input", "Dropdown"):
            raise NotMapped("nothing before it opens a dialog")
        # the text of a dialog and the answer to it are commands of their own, in either order
        before: Json = last["data"].get("dialog", {})
        kept = (
            before if "action" not in answer else {k: v for k, v in before.items() if k == "messageContains"}
        )
        last["data"]["dialog"] = {"action": "accept", **kept, **answer}
        self.steps.mapped += 1

    def announce(self, answer: Json) -> None:
        """Of the dialog that the next act will open."""
        self.steps.dialog = answer

    def submit(self, target: str, *_: object) -> None:
        """Send a form off: no control is pressed for it."""
        locator = self.locator(target)
        if "css" not in locator or "frame" in locator or "{{" in locator["css"]:
            raise NotMapped("a form is named by CSS, id or name")
        css = orjson.dumps(locator["css"]).decode()
        code = f"const found = document.querySelector({css}); (found.form || found).requestSubmit();"
        self.steps.add("CodeV2", language="javascript", code=code)

    def store(self, target: str, value: str) -> None:
        """A variable for a text."""
        if is_secret_field(None, value):
            self.values[value] = self.steps.secret(self.text(target), value)[2:-2]
            return
        self.store_as(value, "Transform", input=self.text(target), code="input")

    def store_attribute(self, target: str, value: str) -> None:
        """A variable for an attribute of an element."""
        locator, _, attribute = target.rpartition("@")
        self.read(locator, value, attribute)

    def store_count(self, target: str, value: str) -> None:
        """A variable for the number of elements."""
        fields = {"all": {"locator": any_of(self.locator(target)), "many": True}}
        made = self.store_as(value, "Extract", fields=fields)
        made["transformerFn"] = 'lambda output, context: len(output["all"])'

    def store_title(self, target: str, value: str) -> None:
        """A variable for the title of the page."""
        self.store_as(value or target, "Extract", fields={"title": {"locator": TITLE}})
        self.values[value or target] += ".title"

    def store_json(self, target: str, value: str) -> None:
        """A variable for data."""
        try:
            parsed = orjson.loads(target)
        except orjson.JSONDecodeError as error:
            raise NotMapped(f"it is not JSON: {error.msg}") from error
        self.store_as(value, "Transform", input=_literals(parsed), code="input")

    def execute_script(self, target: str, value: str) -> None:
        """JavaScript in the page; the variables in it are its inputs."""
        names = list(dict.fromkeys(VARIABLE.findall(target)))
        inputs = {name: f"{{{{{self.path(name)}}}}}" for name in names} or None
        script = VARIABLE.sub(r"inputs.\1", target)
        code = f"async (inputs) => {{ {script} }}"
        if value:
            self.store_as(value, "CodeV2", language="javascript", code=code, inputs=inputs)
        else:
            self.steps.add("CodeV2", language="javascript", code=code, inputs=inputs)

    def assert_variable(self, target: str, value: str) -> None:
        """Fail unless a variable has that value."""
        condition = f"str({self.path(target)}) != {value!r}"
        if "${" in value:
            condition = f"str({self.path(target)}) != str({self.expression(value)})"
        self.steps.add("FailOnCondition", condition=condition, message=literal(f"{target} is not {value}"))

    def read(self, target: str, name: str, attribute: str | None) -> None:
        """A variable for the text or an attribute of an element."""
        field: Json = {"locator": any_of(self.locator(target)), "required": True}
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
            self.steps.wait_for({"element": any_of(self.locator(target)), "state": _STATES[what]})
        elif what == "Title":
            self.steps.wait_for_title(self.text(target))
        elif what in _COMPARED:
            self.steps.wait_for_value(self._compared(what, target), _COMPARED[what], self.text(value))
        elif (said := what.removeprefix("Not")) in _COMPARED:
            state = self.steps.has_value(self._compared(said, target), _COMPARED[said], self.text(value))
            self.steps.add("FailOnCondition", condition=state)
        else:
            return False
        return True

    def _compared(self, what: str, target: str) -> Json:
        """What has the text or value: of a list, its options have the labels."""
        locator = self.locator(target)
        if what == "SelectedLabel":
            if "css" not in locator:
                raise NotMapped("the chosen option is looked for by CSS, id or name")
            locator["css"] += " option:checked"
        return locator

    def path(self, name: str) -> str:
        """The path of a variable: one that nothing stores before is a parameter."""
        if name in self.unclear:
            raise NotMapped(f"`{name}` cannot be read here: {self.unclear[name]}")
        if name in self.values:
            return self.values[name]
        if name.startswith("KEY_"):
            raise NotMapped(f"the key `{name}` is not known here")
        if name not in self._given:
            secret = {"secret": True} if is_secret_field(None, name) else {}
            self._given[name] = self.steps.parameter(name, {"type": "string", "required": True, **secret})
        return f"params.{self._given[name]}"

    def text(self, text: str) -> str:
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
            return repr(re.sub(r"\\(.)", r"\1", text[1:-1]))
        if operator := found["operator"]:
            return _OPERATORS.get(operator, operator)
        return _WORDS.get(found["word"] or "", found["number"] or "")

    def locator(self, target: str) -> Json:
        """The locator of an element."""
        how, found, what = target.partition("=")
        text = self.text(what)
        if target.startswith(("//", "(//")):
            made = strict(xpath=self.text(target))
        elif found and how in _LOCATORS:
            made = _LOCATORS[how](text)
        else:
            raise NotMapped(f"the locator `{target[:100]}` is not read")
        if len(self._frames) > 1:
            raise NotMapped("it is in a frame inside a frame")
        return {**made, "frame": self._frames[0]} if self._frames else made


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


def _literals(value: Any) -> Any:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return [_literals(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    return {literal(key): _literals(item) for key, item in value.items()} if is_object(value) else value


def _with_numbers(tokens: list[str]) -> str:
    """Stored texts are numbers where they are compared with one, as in JavaScript."""
    made = list(tokens)
    for at in range(1, len(tokens) - 1):
        if tokens[at] in ("<", ">", "<=", ">=", "=="):
            for one, other in ((at - 1, at + 1), (at + 1, at - 1)):
                if re.fullmatch(r"[\d.]+", tokens[one]) and re.fullmatch(r"[A-Za-z_][\w.]*", tokens[other]):
                    made[other] = f"float({tokens[other]})"
    return " ".join(made)


_Command = Callable[[Commands, str, str], object]
_COMMANDS: Final[dict[str, _Command]] = {
    "open": Commands.open,
    "click clickAt": lambda on, target, _: on.steps.click(on.locator(target)),
    "doubleClick doubleClickAt": lambda on, target, _: on.steps.click(
        on.locator(target), action="doubleClick"
    ),
    "mouseOver": lambda on, target, _: on.steps.hover(on.locator(target)),
    "dragAndDropToObject": lambda on, target, value: on.steps.act(
        "Mouse", "Drag", on.locator(target), action="drag", toLocator=on.locator(value)
    ),
    "type": lambda on, target, value: on.steps.fill(on.locator(target), on.text(value), hints=target),
    "sendKeys": Commands.send_keys,
    "editContent": lambda on, target, value: on.steps.fill(on.locator(target), on.text(value)),
    "check": lambda on, target, _: on.steps.check(on.locator(target), on=True),
    "uncheck": lambda on, target, _: on.steps.check(on.locator(target), on=False),
    "select addSelection": Commands.select,
    "submit": Commands.submit,
    "pause": Commands.pause,
    "close": Commands.close,
    "selectFrame": Commands.select_frame,
    "storeWindowHandle": Commands.store_window,
    "selectWindow": Commands.select_window,
    "acceptAlert acceptConfirmation answerPrompt webdriverAnswerOnVisiblePrompt webdriverAnswerOnNextPrompt "
    "webdriverChooseOkOnVisibleConfirmation webdriverChooseOkOnNextConfirmation": lambda on, text, _: (
        on.answer(on.accepted(text))
    ),
    "webdriverChooseCancelOnVisibleConfirmation webdriverChooseCancelOnVisiblePrompt "
    "webdriverChooseCancelOnNextConfirmation webdriverChooseCancelOnNextPrompt "
    "dismissConfirmation dismissPrompt": lambda on, _, __: on.answer({"action": "dismiss"}),
    "chooseOkOnNextConfirmation answerOnNextPrompt": lambda on, text, _: on.announce(on.accepted(text)),
    "chooseCancelOnNextConfirmation chooseCancelOnNextPrompt": lambda on, _, __: on.announce(
        {"action": "dismiss"}
    ),
    "assertAlert assertConfirmation assertPrompt": lambda on, text, _: on.answer(
        {"messageContains": on.text(text)}
    ),
    "store": Commands.store,
    "storeText": lambda on, target, name: on.read(target, name, None),
    "storeValue": lambda on, target, name: on.read(target, name, "value"),
    "storeAttribute": Commands.store_attribute,
    "storeElementCount storeXpathCount": Commands.store_count,
    "storeTitle": Commands.store_title,
    "storeJson": Commands.store_json,
    "executeScript executeAsyncScript runScript": Commands.execute_script,
    "assert verify": Commands.assert_variable,
}
TABLE: Final = {name: done for names, done in _COMMANDS.items() for name in names.split()}
"""What each command does."""
