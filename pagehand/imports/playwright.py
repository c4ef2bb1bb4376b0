"""Programs that Playwright's codegen writes in Python, with the sync or the async API, or for pytest.

The program is parsed and never run. What is not a call that codegen writes becomes a comment.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Final

from pagehand.imports.locators import any_of
from pagehand.imports.playwright_locators import Arguments, Element, Part, by_selector, narrow, plain_pattern
from pagehand.imports.reading import read_python
from pagehand.imports.steps import NotMapped, Steps, literal
from pagehand.records import Json
from pagehand.workflow.words import by_word, word_set

_SET_UP: Final = word_set("launch new_context close sync_playwright async_playwright run main")
_SETTINGS: Final = frozenset(("headless", "channel", "slow_mo"))
_STATES: Final = by_word(
    {
        "visible": "to_be_visible|not_to_be_hidden",
        "hidden": "to_be_hidden|not_to_be_visible",
        "enabled": "to_be_enabled|not_to_be_disabled",
        "disabled": "to_be_disabled|not_to_be_enabled",
        "checked": "to_be_checked",
        "unchecked": "not_to_be_checked",
        "exists": "to_be_attached",
        "count=0": "not_to_be_attached",
    }
)
_COMPARED: Final = by_word({"textContains": "to_contain_text|to_have_text", "valueEquals": "to_have_value"})
_WAITED: Final = {"visible": "visible", "hidden": "hidden", "attached": "exists", "detached": "count=0"}
_BUTTONS: Final = {"left": None, "right": "rightClick"}
_SELECTOR_METHODS: Final = word_set(
    "click dblclick tap fill type check uncheck select_option press hover set_input_files set_checked "
    "drag_and_drop wait_for_selector"
)
_TYPING: Final = ("fill", "type", "press_sequentially")
_PATTERN: Final = "re.compile"


def tests_in(text: str) -> dict[str, list[ast.stmt]]:
    """The statements of each recording in a program, by the name of its function."""
    module = read_python(text)
    functions = [
        node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = {function.name: function.body for function in functions if _uses_pages(function)}
    return found or {"": module.body}


def _uses_pages(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    called = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    return bool(
        called & {"goto", "locator", "get_by_role", "get_by_text", "get_by_label", *_SELECTOR_METHODS}
    )


def import_playwright(statements: list[ast.stmt]) -> Steps:
    """The steps of one recording."""
    reader = _Reader()
    reader.read(statements)
    return reader.steps


class _Reader:
    """Reads statements one by one; knows what the names of the program stand for."""

    def __init__(self) -> None:
        self.steps = Steps()
        self._pages = {"page": ""}
        self._new_pages: set[str] = set()
        self._elements: dict[str, Element] = {}
        self._texts: dict[str, str] = {}
        self._events: dict[str, str] = {}
        """Names of what `expect_popup()` and the like are bound to, and what they wait for."""
        self._blocks: dict[str, Json] = {}
        """The blocks that download, by the names of their downloads."""

    def read(self, statements: list[ast.stmt]) -> None:
        """Read statements; those that have no counterpart become comments."""
        for statement in statements:
            self.steps.where = f"line {statement.lineno}"
            before, mapped = len(self.steps.blocks), self.steps.mapped
            try:
                self._statement(statement)
            except NotMapped as problem:
                # what a statement has led to before its end is not kept
                del self.steps.blocks[before:]
                self.steps.mapped = mapped
                self.steps.comment(self._shown(statement), str(problem))

    def _shown(self, statement: ast.stmt) -> str:
        """The statement; its values are left out where they may be secret."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _method(node) in _TYPING and node.args:
                node.args[-1] = ast.Constant("***")
        return ast.unparse(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Pass():
                return
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return
            case ast.Expr(value=value):
                self._call(_awaited(value))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, _awaited(value))
            case ast.With(items=[item], body=body) | ast.AsyncWith(items=[item], body=body):
                self._with(item, body)
            case _:
                raise NotMapped("programs with their own control flow are not read")

    def _assign(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Attribute) and value.attr == "value" and isinstance(value.value, ast.Name):
            self._take_event(name, value.value.id)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            self._texts[name] = literal(value.value)
        elif _method(value) == "new_page":
            self._new_page(name)
        elif _method(value) in _SET_UP:
            self._set_up(value)
        else:
            self._elements[name] = self.element(value)

    def _take_event(self, name: str, event: str) -> None:
        match self._events.get(event):
            case "popup":
                self._pages[name] = name
                self.steps.rename_tab(event, name)
            case "download":
                self._blocks[name] = self._blocks[event]
            case "chooser":
                self._blocks[name] = self._blocks[event]
                self._events[name] = "chooser"
            case _:
                raise NotMapped("nothing says what this is")

    def _new_page(self, name: str) -> None:
        is_first = self.steps.tabs == [""] and not self.steps.blocks and not self._new_pages
        self._pages[name] = "" if is_first else name
        if not is_first:
            self._new_pages.add(name)

    def _set_up(self, value: ast.expr) -> None:
        named = [word.arg for word in value.keywords if word.arg] if isinstance(value, ast.Call) else []
        if unknown := [name for name in named if name not in _SETTINGS]:
            raise NotMapped(f"`{unknown[0]}` is not a setting of workflows")

    def _with(self, item: ast.withitem, body: list[ast.stmt]) -> None:
        method = _method(_awaited(item.context_expr))
        name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
        if method in ("sync_playwright", "async_playwright"):
            self.read(body)
            return
        events = {
            "expect_popup": "popup",
            "expect_page": "popup",
            "expect_download": "download",
            "expect_file_chooser": "chooser",
            "expect_navigation": "navigation",
        }
        if method not in events:
            raise NotMapped(f"`{method}` has no counterpart")
        self.read(body)
        last = self.steps.blocks[-1] if self.steps.blocks else {}
        if last.get("type") != "Mouse":
            raise NotMapped("nothing is clicked in it")
        self._events[name] = events[method]
        match events[method]:
            case "popup":
                last["data"]["expect"] = "popup"
                self.steps.opened_tab(name)
            case "download":
                last["type"], last["name"] = (
                    "DownloadFile",
                    last.get("name", "").replace("Click", "Download", 1),
                )
                self._blocks[name] = last
            case "chooser":
                self._blocks[name] = last
            case _:
                pass

    def _call(self, call: ast.expr) -> None:
        if not isinstance(call, ast.Call):
            raise NotMapped("it is not a call")
        if isinstance(call.func, ast.Name):
            if call.func.id not in _SET_UP:
                raise NotMapped(f"`{call.func.id}` is not Playwright's")
            return
        if not isinstance(call.func, ast.Attribute):
            raise NotMapped("it is not a call of a page")
        owner, method, given = _awaited(call.func.value), call.func.attr, Arguments(call, self)
        if isinstance(owner, ast.Call) and _method(owner) == "expect":
            self._expect(Arguments(owner, self), method, given)
        elif isinstance(owner, ast.Name) and owner.id in self._pages:
            self._on_page(owner.id, method, given)
        elif isinstance(owner, ast.Name) and owner.id in self._blocks:
            self._on_event(owner.id, method, given)
        elif isinstance(owner, ast.Attribute) and owner.attr == "keyboard":
            self._keyboard(owner.value, method, given)
        elif method in _SET_UP and isinstance(owner, ast.Name | ast.Attribute):
            self._set_up(call)
        else:
            self._act(self.element(owner), method, given)

    def _on_event(self, name: str, method: str, given: Arguments) -> None:
        block = self._blocks[name]
        if method == "save_as":
            block["data"]["fileName"] = PurePath(given.text(0)).name or None
        elif method == "set_files":
            self.steps.blocks.remove(block)
            self.steps.upload(block["locator"])
        else:
            raise NotMapped(f"`{method}` of a file has no counterpart")

    def _in_tab(self, page: str) -> None:
        if page in self._new_pages:
            raise NotMapped("a tab is opened with its first address")
        self.steps.in_tab(self._pages[page])

    def _on_page(self, page: str, method: str, given: Arguments) -> None:
        match method:
            case "goto":
                self._goto(page, given.text(0))
            case "close" if len(self.steps.tabs) == 1:
                return  # the run ends, and its browser with it
            case "close":
                self._in_tab(page)
                self.steps.close_tab()
            case "bring_to_front":
                self._in_tab(page)
            case "once" | "on":
                self._dialog(given)
            case "wait_for_timeout":
                self.steps.add("Wait", durationMs=given.whole_number(0))
            case "wait_for_url":
                self._in_tab(page)
                self.steps.wait_for({"url": given.text(0).replace("**", "*")})
            case _ if method in _SELECTOR_METHODS:
                element = by_selector(Element(page), given.text(0))
                self._act(element, method, given, skip=1)
            case _:
                raise NotMapped(f"`{method}` of a page has no counterpart")

    def _goto(self, page: str, url: str) -> None:
        if page in self._new_pages:
            self._new_pages.remove(page)
            self.steps.open(url, newTab=True)
            self.steps.opened_tab(page)
            return
        self._in_tab(page)
        self.steps.open(url)

    def _dialog(self, given: Arguments) -> None:
        answer = given.node(1)
        called = answer.body if isinstance(answer, ast.Lambda) else None
        method = _method(called) if called is not None else ""
        if given.text(0) != "dialog" or method not in ("accept", "dismiss"):
            raise NotMapped("only dialogs are answered")
        text = Arguments(called, self).optional(0) if isinstance(called, ast.Call) else None
        self.steps.dialog = {"action": method, **({"text": text} if text is not None else {})}

    def _keyboard(self, page: ast.expr, method: str, given: Arguments) -> None:
        if not isinstance(page, ast.Name) or page.id not in self._pages or method != "press":
            raise NotMapped("only single keys are pressed")
        self._in_tab(page.id)
        self.steps.press(given.text(0))

    def _act(self, element: Element, method: str, given: Arguments, *, skip: int = 0) -> None:
        self._in_tab(element.page)
        do = _ACTIONS.get(method)
        if do is None:
            raise NotMapped(f"`{method}` has no counterpart")
        do(self, element.locator(), given, skip)

    def click(self, locator: Json, given: Arguments) -> None:
        """Click with a button and keys."""
        button = given.optional("button") or "left"
        if button not in _BUTTONS:
            raise NotMapped(f"there is no click with the {button} button")
        count = given.whole_number("click_count") if "click_count" in given.named else None
        self.steps.click(
            locator,
            action=_BUTTONS[button],
            modifiers=self._texts_of(given.node("modifiers")) or None,
            count=count,
        )

    def set_checked(self, locator: Json, given: Arguments, skip: int) -> None:
        """Set a box as the argument says."""
        node = given.node(skip) or given.node("checked")
        if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
            raise NotMapped("whether it is set is not written out")
        self.steps.check(locator, on=node.value)

    def select_option(self, locator: Json, given: Arguments, skip: int) -> None:
        """Choose options by label, value or index."""
        if "index" in given.named:
            self.steps.choose(locator, str(given.whole_number("index")), by="index")
            return
        by = "text" if "label" in given.named else "value"
        node = given.node(skip) or given.node("value") or given.node("label")
        if not (values := self._texts_of(node)):
            raise NotMapped("nothing says what to choose")
        self.steps.choose(locator, *values, by=by)

    def drag_to(self, locator: Json, given: Arguments, skip: int) -> None:
        """Drag onto another element."""
        target = given.node(skip) or given.node("target")
        if target is None:
            raise NotMapped("nothing says where to")
        self.steps.act("Mouse", "Drag", locator, action="drag", toLocator=self.element(target).locator())

    def _expect(self, subject: Arguments, method: str, given: Arguments) -> None:
        node = subject.node(0)
        if isinstance(node, ast.Name) and node.id in self._pages:
            self._in_tab(node.id)
            match method:
                case "to_have_url":
                    self.steps.wait_for({"url": given.text(0).replace("**", "*")})
                case "to_have_title":
                    self.steps.wait_for_title(given.text(0))
                case _:
                    raise NotMapped(f"`{method}` of a page has no counterpart")
            return
        if node is None:
            raise NotMapped("it names no element")
        element = self.element(node)
        self._in_tab(element.page)
        locator = any_of(element.locator())
        if method in _STATES:
            self.steps.wait_for({"element": locator, "state": _STATES[method]})
        elif method in _COMPARED:
            self.steps.wait_for_value(locator, _COMPARED[method], given.text(0))
        elif method in ("to_be_empty", "not_to_have_count", "to_have_count"):
            state = "valueEquals" if method == "to_be_empty" else f"count={given.whole_number(0)}"
            if method == "not_to_have_count":
                raise NotMapped("there is no condition for another count")
            self.steps.wait_for(
                {"element": locator, "state": state, **({"value": ""} if "=" not in state else {})}
            )
        else:
            raise NotMapped(f"`{method}` has no counterpart")

    def element(self, node: ast.expr) -> Element:
        """The element that an expression names; raises NotMapped if it names none."""
        chain: list[ast.expr] = []
        node = _awaited(node)
        while isinstance(node, ast.Call | ast.Attribute):
            chain.append(node)
            called = node.func if isinstance(node, ast.Call) else node
            node = called.value if isinstance(called, ast.Attribute) else ast.Constant(None)
        if not isinstance(node, ast.Name) or node.id not in {**self._pages, **self._elements}:
            raise NotMapped("it is no element of a page")
        found = self._elements.get(node.id) or Element(node.id)
        for link in reversed(chain):
            found = self._link(found, link)
        return found

    def _link(self, element: Element, link: ast.expr) -> Element:
        if isinstance(link, ast.Attribute) and link.attr in ("first", "last"):
            return element.narrowed(Part(link.attr))
        if isinstance(link, ast.Attribute) and link.attr == "content_frame":
            return element.in_frame()
        if isinstance(link, ast.Call) and isinstance(link.func, ast.Attribute):
            made = narrow(element, link.func.attr, Arguments(link, self))
            if made is not None:
                return made
        raise NotMapped(f"`{_method(link)}` names no element")

    def text(self, node: ast.expr) -> str:
        """A text that is written out, a pattern that means one, or an environment variable: a parameter."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return literal(node.value)
        if isinstance(node, ast.Name) and node.id in self._texts:
            return self._texts[node.id]
        if isinstance(node, ast.Call) and ast.unparse(node.func) == _PATTERN and node.args:
            pattern = node.args[0]
            if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
                return plain_pattern(pattern.value)
        if (variable := _environment(node)) is not None:
            return self._parameter(variable)
        raise NotMapped("a text is not written out")

    def _parameter(self, variable: str) -> str:
        if variable not in self._texts:
            name = self.steps.parameter(variable, {"type": "string", "required": True, "secret": True})
            self._texts[variable] = f"{{{{params.{name}}}}}"
        return self._texts[variable]

    def _texts_of(self, node: ast.expr | None) -> list[str]:
        if node is None:
            return []
        return [self.text(item) for item in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])]


def _awaited(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Await) else node


def _method(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def _environment(node: ast.expr) -> str | None:
    """The name in `os.environ["NAME"]` or `os.getenv("NAME")`."""
    keys = list[ast.expr]()
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
        keys = [node.slice]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.getenv", "os.environ.get"):
        keys = node.args[:1]
    texts: Iterator[Any] = (key.value for key in keys if isinstance(key, ast.Constant))
    return next((text for text in texts if isinstance(text, str)), None)


def _given(given: Arguments, skip: int, name: str) -> str:
    """A text by its position, or by its name."""
    return given.text(skip if given.count > skip else name)


_Action = Callable[[_Reader, Json, Arguments, int], object]
_GROUPS: Final[dict[str, _Action]] = {
    "click tap": lambda on, at, given, _: on.click(at, given),
    "dblclick": lambda on, at, _, __: on.steps.click(at, action="doubleClick"),
    "hover": lambda on, at, _, __: on.steps.hover(at),
    "fill": lambda on, at, given, skip: on.steps.fill(at, _given(given, skip, "value")),
    "clear": lambda on, at, _, __: on.steps.fill(at, ""),
    "type press_sequentially": lambda on, at, given, skip: on.steps.fill(
        at, _given(given, skip, "text"), clearFirst=False
    ),
    "press": lambda on, at, given, skip: on.steps.press(_given(given, skip, "key"), at),
    "check": lambda on, at, _, __: (
        on.steps.click(at) if at.get("role") == "radio" else on.steps.check(at, on=True)
    ),
    "uncheck": lambda on, at, _, __: on.steps.check(at, on=False),
    "set_checked": _Reader.set_checked,
    "set_input_files": lambda on, at, _, __: on.steps.upload(at),
    "select_option": _Reader.select_option,
    "drag_to": _Reader.drag_to,
    "scroll_into_view_if_needed": lambda on, at, _, __: on.steps.add("Mouse", at, action="scroll"),
    "wait_for wait_for_selector": lambda on, at, given, _: on.steps.wait_for(
        {"element": any_of(at), "state": _WAITED.get(given.optional("state") or "visible")}
    ),
}
_ACTIONS: Final = {name: do for names, do in _GROUPS.items() for name in names.split()}
"""What each method of an element does."""
