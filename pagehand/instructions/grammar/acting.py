"""Steps that reach and act on a page: open, click, drag, hover, scroll, press a key."""

import re
from typing import Final

from pagehand.instructions.grammar.elements import kind_of, locator_of, on_element, read_element
from pagehand.instructions.grammar.filling import FILLING, choice_block
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_unclear, refuse_vague_words
from pagehand.instructions.grammar.places import COUNTED, is_placed
from pagehand.instructions.grammar.refusal import NotUnderstood, OtherFrame
from pagehand.instructions.grammar.values import (
    read_address,
    read_count,
    read_duration,
    read_last_value,
    read_value,
)
from pagehand.instructions.grammar.vocabulary import Build, Frame, ParseContext, Sentences, Slots
from pagehand.records import Json
from pagehand.workflow.words import by_word

_SCREEN_PIXELS: Final = 800
_WHOLE_PAGE_PIXELS: Final = 1_000_000
CLICK: Final = {"action": "click"}
"""The data of a click."""
_KEY: Final = re.compile(
    r"^(?:the )?(?:enter|return|escape|esc|tab|space|backspace|delete|f5)$|\bkeys?$|\barrow$|\b(?:enter"
    r"|escape)$|^(?:the )?(?:ctrl|control|alt|shift|cmd|command|meta)(?: ?\+|$| \w$)",
    re.IGNORECASE,
)

_NAMED_PAGE: Final = re.compile(r"(?:the )?(?P<name>[A-Z][\w&' -]*) (?:page|screen|section|menu item)")
_PLAIN_NAME: Final = re.compile(r"[A-Z][\w'-]*(?: [\w&'-]+){0,2}")
_DESCRIBED: Final = re.compile(r"the [a-z][a-z-]*(?: [a-z][a-z-]*){0,2}")
_OPENABLE: Final = re.compile(
    rf".+ (?:link|menu|tab|menu item|section|panel)|the (?:[\w-]+ ){{1,4}}drop-?down|(?:the )?drop-?down "
    rf"{TOKEN}|(?:the )?(?-i:[a-z]+) {TOKEN}|(?:the )?(?:tab|link|menu|section|menu item) "
    r"(?-i:[A-Z]).*|the .*\b(?:link|record|row|result|hit|item|entry)\b.*",
    re.IGNORECASE | re.DOTALL,
)


_BUTTONS: Final = by_word(
    {
        verb.capitalize(): verb
        for verb in ("submit", "save", "continue", "confirm", "cancel", "apply", "search")
    }
    | {"Log out": "log out|log off|logout", "Sign out": "sign out"}
)
"""Verbs that are themselves the name of the button that does it."""
_PATH: Final = re.compile(r" ?(?:->|→|»|>) ?")
# programs and mailboxes are not on a page
_OTHER_PROGRAM: Final = re.compile(
    r"(?:Microsoft |MS |Google )?(?:Excel|Word|Outlook|Teams|Slack|Gmail|Chrome|Firefox|Edge|Explorer"
    r"|Notepad|Acrobat|PowerPoint|OneNote|SharePoint|OneDrive|Dropbox|Drive|Zoom|WhatsApp|SAP|Salesforce"
    r"|Google|Finder|Google Maps|YouTube|LinkedIn)(?: .*)?"
)
_NOT_ON_PAGE: Final = re.compile(
    r"\b(?:file|document|e-?mail|mail|attachment|spreadsheet|workbook|folder|program|app|browser|website"
    r"|site|page|window|tab|pdf|inbox|drawer|door|letter)s?$",
    re.IGNORECASE,
)


def _navigate(slots: Slots, context: ParseContext) -> Json:
    data: Json = {"url": read_address(slots["address"], context)}
    return {"data": {**data, "newTab": True} if slots.get("tab") else data}


def _switch_tab(slots: Slots, context: ParseContext) -> Json:
    if slots["part"]:
        part = read_value(slots["part"], context)
        # digits alone would be the tab's position
        return {"data": {"tab": f"*{part}*" if part.isdecimal() else part}}
    token = context.literals.token(slots["tab"])
    if (token is None or token.kind not in ("url", "template")) and not re.fullmatch(
        r"(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", slots["tab"]
    ):
        raise OtherFrame("say which tab by its address: `switch to the tab with example.com`")
    return {"data": {"tab": token.value if token else slots["tab"]}}


def _mouse(action: str) -> Build:
    return lambda slots, context: on_element(read_element(slots["element"], context), {"action": action})


def _press(slots: Slots, context: ParseContext) -> Json:
    """A click, unless it is a key that is pressed."""
    # "press Enter" would else look for a button called Enter
    if _KEY.search(slots["element"].strip()):
        raise NotUnderstood(
            slots["element"], "keys are pressed in a field: say `type … into … and press Enter`"
        )
    return on_element(read_element(slots["element"], context), CLICK)


def _open_element(slots: Slots, context: ParseContext) -> Json:
    words = slots["element"]
    if found := re.search(r"\bnew (?:tab|window)\b|^\S+\.\w{2,}(?=[/ ])", words, re.IGNORECASE):
        raise NotUnderstood(found[0], "say `open https://example.com in a new tab`")
    if named := _NAMED_PAGE.fullmatch(words):
        return on_element(read_element(named["name"], context), CLICK)
    if words.lower() == "it" and context.last_element is not None:
        return on_element(context.last_element, CLICK)
    if re.fullmatch(r"(?:the )?next page", words):
        return {"locator": {"words": "Next"}, "data": CLICK}
    if any(token.kind in ("url", "email") for token in context.literals.tokens_in(words)):
        raise OtherFrame("an address was expected, such as `https://example.com`")
    if re.fullmatch(r"the (?:first|second|third|last|other|new|next|previous) (?:tab|window)", words):
        raise NotUnderstood(words, "say `open … in a new tab`, or the name of a tab on the page")
    # anything else after "open" may be a site or a file, which is not on the page
    is_named = _PLAIN_NAME.fullmatch(words) and not _OTHER_PROGRAM.fullmatch(words) and "'s " not in words
    is_counted = COUNTED.match(words) is not None
    is_described = (
        context.is_on_page and not (is_counted or _NOT_ON_PAGE.search(words)) and _DESCRIBED.fullmatch(words)
    )
    is_there = words.startswith("the ") and not is_counted and is_placed(words, context)
    is_there = is_there and not re.search(r"\b(?:attachment|e-?mail|spreadsheet|folder)\b", words)
    token = context.literals.token(words)
    is_quoted = token is not None and token.kind == "quoted" and "." not in token.value
    if not (is_named or is_described or is_there or is_quoted or _OPENABLE.fullmatch(words)):
        raise NotUnderstood(words, "an address was expected, such as `https://example.com`")
    return on_element(read_element(slots["element"], context), CLICK)


def _press_named(slots: Slots, context: ParseContext) -> Json:
    """The button that a verb names: "… and save"."""
    words = _BUTTONS[slots["verb"].lower()]
    last = context.last_element
    if words == "Search" and last is not None and kind_of(last) == "field" and "search" in last.name.lower():
        raise NotUnderstood("search", "say `search for …`, or `click Search` for the button")
    if context.pages and context.pages.find(words, "control") is None:
        raise NotUnderstood(
            slots["verb"], f"the page has no such button; say `click …`, not `{slots['verb']}`"
        )
    return on_element(read_element(words, context), CLICK)


def _press_what(slots: Slots, context: ParseContext) -> Json:
    refuse_unclear(slots["what"])
    if not re.fullmatch(r"(?:leave |purchase )?[a-z]+", slots["what"]) or slots["what"] in _DIALOGS:
        raise OtherFrame("say `click …`, with the words that stand on the button")
    return _press_named(slots, context)


_DIALOGS: Final = frozenset(("dialog", "dialogue", "alert", "prompt", "popup", "confirmation", "message"))


def _unfold(slots: Slots, context: ParseContext) -> Json:
    """Clicks what is called so; where "the sidebar" is to be clicked is not said."""
    element = read_element(slots["element"], context)
    if element.locator is not None and element.name[:1].islower():
        raise NotUnderstood(slots["element"], "say what to click, in the words that stand on it")
    return on_element(element, CLICK)


def _click_path(slots: Slots, context: ParseContext) -> Json:
    """One click for each part of "Reports > Sales > Monthly"."""
    parts = _PATH.split(slots["path"])
    if len(parts) == 1 or not all(map(_PLAIN_NAME.fullmatch, parts)):
        raise OtherFrame("say it as steps: `click …, then click …`")
    return {"several": [on_element(read_element(part, context), CLICK) for part in parts]}


def _with_control(slots: Slots, context: ParseContext) -> Json:
    """What a click is for is said first: "submit it with the Send button"."""
    refuse_vague_words(re.sub(r"^(?:it|this|that|all)\b", "", slots["purpose"]), subjective=False)
    if not re.fullmatch(r"(?:[a-z]+(?: [a-z-]+){0,5})?", slots["purpose"], re.IGNORECASE):
        raise OtherFrame("say only what to click")
    is_control = re.match(r"(?:the )?(?:button|link|icon) |.* (?:button|link|icon)$", slots["element"])
    # "save with Save changes", but not "pay with PayPal"
    if not is_control and not slots["element"].lower().startswith(slots["verb"].lower()):
        raise OtherFrame("say `click …`, with the words that stand on the button")
    return on_element(read_element(slots["element"], context), CLICK)


def _answer_dialog(slots: Slots, context: ParseContext) -> Json:
    refuse_negation(slots["question"])
    is_accepted = slots["verb"].lower() in _AGREEING
    answer: Json = {"action": "accept" if is_accepted else "dismiss"}
    return {
        "dialog": {**answer, "text": read_last_value(slots["text"], context)} if slots["text"] else answer
    }


_AGREEING: Final = frozenset(
    ("accept", "confirm", "ok", "okay", "yes", "agree to", "approve", "acknowledge", "")
)
_QUESTION: Final = (
    "(the|that|this|any) [browser|browser's|resulting|following|javascript] [confirmation|confirm"
    "|alert] (dialog|alert|prompt|confirmation|message box|confirm box|confirmation box|question|dialogue"
    "|confirm|warning) [[that|which] [the browser|it|then] (shows|appears|opens|pops up|comes up|follows"
    "|asks|displays)|of the browser|in the browser|from the browser]"
)
_YES_NO: Final = "{verb:yes|ok|okay|no|cancel}"
_AND_OK: Final = (
    "(,|and|, and|and then|, and then|, then)"
    " (accept|confirm|ok|press ok|click ok|click on ok|press enter) [it]"
)


def _go_back(slots: Slots, context: ParseContext) -> Json:
    if slots["page"] and context.last_element is not None:
        raise NotUnderstood("it", "say `reload the page`")
    # on another page, what was named before is not there any more
    context.last_element = None
    way = (
        "location.reload()"
        if slots["again"]
        else f"history.{'forward' if 'forward' in slots['way'].lower() else 'back'}()"
    )
    return {"data": {"language": "javascript", "code": way}}


def _merge_dialog(click: Json, step: Json) -> Json | None:
    """How the dialog is answered that a click opens; choosing from a list opens it anyway."""
    if (
        step.get("data", {}).get("inputType") == "Dropdown"
        and click.get("locator", {}).get("label") == step["data"]["key"]
    ):
        return step
    if "file_name" in step and click["data"] == CLICK:
        # a click whose file is kept is a download
        return {
            **click,
            "type": step["downloading"],
            "data": {"fileName": step["file_name"]} if step["file_name"] else {},
        }
    if step.get("commit"):
        return {**click, "data": {**click["data"], "isCommit": True}}
    if "dialog" not in step or "dialog" in click["data"]:
        return None
    return {**click, "data": {**click["data"], **step}}


def _drag(slots: Slots, context: ParseContext) -> Json:
    what, where = read_element(slots["element"], context), read_element(slots["target"], context)
    return on_element(what, {"action": "drag", "toLocator": locator_of(where)})


def _hover(slots: Slots, context: ParseContext) -> Json:
    time = {"durationMs": read_duration(slots["count"], slots["unit"])} if slots["count"] else {}
    return on_element(read_element(slots["element"], context, "anything"), time)


def _scroll_to(slots: Slots, context: ParseContext) -> Json:
    if edge := re.fullmatch(
        r"(?:the )?(?:very )?(top|bottom|end)(?: of (?:the )?page)?", slots["element"], re.IGNORECASE
    ):
        y = -_WHOLE_PAGE_PIXELS if edge[1].lower() == "top" else _WHOLE_PAGE_PIXELS
        return {"data": {"action": "scroll", "y": y}}
    is_described = _DESCRIBED.fullmatch(slots["element"])
    element = read_element(slots["element"], context, "control" if is_described else "anything")
    return on_element(element, {"action": "scroll"})


def _scroll_by(slots: Slots, context: ParseContext) -> Json:  # noqa: ARG001 - every frame takes the context
    pixels = round(read_count(slots["pixels"])) if slots["pixels"] else _SCREEN_PIXELS
    return {"data": {"action": "scroll", "y": pixels if slots["way"].lower() == "down" else -pixels}}


_MENU: Final = (
    "((the|that|this|its) [context|popup|pop-up|right-click|shortcut|opened|open] menu|it)"
    " [(that|which) (opens|appears|comes up|pops up)]"
)


def _choose_option(slots: Slots, context: ParseContext) -> Json:
    token, words = context.literals.token(slots["element"]), slots["element"]
    hint = "say what it is chosen from: `… from the … list`"
    is_name = _PLAIN_NAME.fullmatch(words) and not re.search(
        r" (?:from|in|for|as|under|of|to|and|or|then|but) ", words
    )
    is_name = is_name or (token is not None and token.kind in ("quoted", "template"))
    opened = context.last_element
    is_choice = opened is not None and kind_of(opened) == "choice" and not slots["menu"]
    if context.menu_is_open and is_name and opened is not None and is_choice:
        chosen = choice_block(opened, read_value(words, context), words, context)
        return {"several": [context.vocabulary.block(FILLING, **chosen)]}
    if context.menu_is_open and is_name:
        return on_element(read_element(words, context), CLICK)
    if not re.search(r"\b(?:radio|tab|option)\b", words):
        raise OtherFrame(hint) if " and " in words else NotUnderstood(words, hint)
    if re.search(r" (?:from|in|out of|under|for) ", words):
        raise OtherFrame(hint)
    option = read_element(words, context)
    if kind_of(option) not in ("radio", "tab", "option"):
        raise NotUnderstood(words, hint)
    return on_element(option, CLICK)


_HEADING: Final = "Reaching and acting on a page"
PURPOSES: Final = (
    "submit|save|confirm|complete|finish|start|continue|proceed|publish|log out|sign out|send|approve|apply"
    "|update|create|add|register|book|order|pay|post|delete|remove|cancel|close"
)
"""What a step may be for that is said with it."""


def _navigate_to_named(slots: Slots, context: ParseContext) -> Json:
    """The name of a site beside its address says nothing more."""
    token = context.literals.token(slots["address"])
    refuse_vague_words(re.sub(r"^(?:our|my|your) ", "", slots["site"]))
    kinds = ("url", "template") if slots["at"] else ("url",)
    if token is None or token.kind not in kinds or not _SITE.fullmatch(slots["site"]):
        raise OtherFrame("an address was expected, such as `https://example.com`")
    return _navigate(slots, context)


_SITE: Final = re.compile(r"(?:the|our|my|your) [\w' -]+|[A-Z][\w'-]*(?: [\w'-]+){0,3}")
OPENING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@open|@visit) {site} [{at:at|under}] {address:<literal>}",
            _navigate_to_named,
            ("Open the supplier portal at https://example.com",),
        ),
        Frame(
            "(@open|@visit) {address} [{tab:in a new tab}]"
            "| (open|create) (a|an|the) new {tab:tab|window} (with|at|for|and go to|and open) {address}",
            _navigate,
            (
                "Go to https://example.com/orders",
                "Open example.com in a new tab",
                "Visit {{params.site}}",
                "Open a new tab with https://example.com",
            ),
        ),
        Frame(
            "(switch|switch back|change|change back|go back|go|move) to the [browser] (tab|window)"
            " ((with|of|showing|at|for) [the] [address|url] {tab}"
            "|(whose|where the) (address|url) (contains|has|includes) {part}"
            "|(with|that has) {part} in (its|the) (address|url))",
            _switch_tab,
            ("Switch to the tab with billing.example.com",),
        ),
    ),
)

POINTING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@click) {element} | (click in|click into|click inside) {element:the {name} (field|box|input)}",
            _mouse("click"),
            ("Click the Submit button", 'Click on "Sign in"', "Follow the Help link", "Click Delete"),
            takes_names=True,
        ),
        Frame("(@press) {element}", _press, ("Press Continue",), takes_names=True),
        Frame(
            "(@open|switch to|change to) {element}",
            _open_element,
            ("Open the Settings menu", "Open the link in the first row", "Open Settings"),
            takes_names=True,
        ),
        Frame("(@open|@click|@choose) {path}", _click_path),
        Frame("(expand|collapse|unfold) {element}", _unfold, ('Expand "Payment details"',)),
        Frame(
            "{verb:submit|save|continue|confirm|cancel|apply|search|log out|log off|logout|sign out}"
            "| {verb:submit|save|confirm|apply} [the|this|all|all the|your]"
            " (form|changes|settings|record|entry|details)"
            "| {verb:log out|log off|logout|sign out} [of|from] [the] [portal|site|website|system|page"
            "|account] | {verb:submit} it",
            _press_named,
            ("Save", "Submit the form"),
        ),
        Frame("{verb:submit|confirm} (the|this|your) {what}", _press_what, ("Submit the ticket",)),
        Frame(
            f"{{verb:{PURPOSES}}} [{{purpose}}]"
            " (with|using|via|through|by means of|with a click on) {element}",
            _with_control,
            ("Submit the form with the Send button",),
        ),
        Frame(
            f"{{verb:accept|confirm|ok|agree to|approve|dismiss|cancel|decline|reject}} {_QUESTION}"
            " [with (ok|yes)]"
            f"| (answer|say|reply|respond) {_YES_NO} (to|in|on|when) {_QUESTION}"
            f"| (choose|press|click) {_YES_NO} (to|in|on) the (browser|browser's) [confirmation]"
            " (dialog|prompt|alert|question|confirmation|message)"
            f"| answer {_QUESTION} with {_YES_NO}"
            f"| (@type) {{text}} (in|into|in to) the [browser] prompt {_AND_OK}",
            _answer_dialog,
        ),
        Frame(
            "(the browser|when the browser|if the browser|once the browser) [then|will|will then] (ask|asks)"
            " [you] for {question} (,|;|:|, and|and|; then|, then)"
            f" [then] (@type|answer|answer with|reply|reply with) {{text}} [there|in there] [{_AND_OK}]",
            _answer_dialog,
            scope="rest",
        ),
        Frame(
            "(when|if|once) (the browser asks [{question}]|(a|the) browser [confirmation]"
            " (dialog|question|message|prompt|alert|confirmation) (appears|pops up|comes up|opens|shows))"
            " [,] [then] ({verb:accept|confirm|dismiss|cancel|decline} [it]"
            f"|(answer|say|reply|choose|press|click on|click) {_YES_NO})",
            _answer_dialog,
            scope="rest",
        ),
        Frame(
            "(double-click|doubleclick|double click) [on] {element}",
            _mouse("doubleClick"),
            ("Double-click the Total cell",),
        ),
        Frame(
            "(right-click|rightclick|right click) [on] {element}",
            _mouse("rightClick"),
            ("Right-click the Report link",),
        ),
        Frame("drag {element} (to|onto|on|into) {target}", _drag, ('Drag "Task 1" onto "Done"',)),
        Frame(
            "(scroll down to|scroll up to|scroll to) {element}",
            _scroll_to,
            ("Scroll to the Reviews section", "Scroll to the bottom of the page"),
        ),
        Frame(
            "scroll {way:down|up} [by] [{pixels:<number>} (pixels|px)]",
            _scroll_by,
            ("Scroll down by 400 pixels",),
        ),
        Frame(
            f"(@choose) {{element}} [{{menu:(from|in|on|out of) {_MENU}}}]",
            _choose_option,
            ("Select the Express radio button",),
        ),
        Frame(
            "(this|that|it|the click) (must|may|should|can) (never|not) (happen|be done|be sent|be submitted|"
            "run|be repeated)"
            " [twice|more than once|a second time|again]",
            lambda _slots, _context: {"commit": True},
            may_negate=True,
        ),
    ),
    merge_next=_merge_dialog,
)

GOING_BACK: Final = Sentences(
    _HEADING,
    (
        Frame(
            "{way:go back|navigate back|return back|step back|move back|head back|go forward}"
            " [(a|one) (page|step)|to the (previous|last|prior) (page|screen)|in the browser|again"
            "|to where you were|to the page before]"
            "| (return to the previous|(@open) the previous) (page|screen)"
            "| (@click|@press|use) the (browser's|browser) {way:back|forward} (button|arrow)"
            "| {again:reload|refresh} {page:it}"
            "| {again:reload|refresh} (the|this) [current|whole]"
            " (page|tab|browser|screen|site|website|browser window|window) [once|again]"
            "| {again:reload} | (@press) {again:f5}",
            _go_back,
            ("Go back", "Go back to the previous page", "Reload the page"),
        ),
    ),
)

HOVERING: Final = Sentences(
    _HEADING,
    (
        Frame(
            "(@hover) {element} [for {count:<number>} {unit:<unit>}]",
            _hover,
            ("Hover over the Products menu",),
            takes_names=True,
        ),
    ),
    opens_menus=True,
)
