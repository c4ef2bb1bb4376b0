"""How a user says which element is meant."""

import re
from typing import Annotated, Final, Self

from pydantic import AfterValidator, model_validator

from pagehand.workflow.wire import Text, WireModel

_POSITION: Final = re.compile(
    r":nth-|:(?:first|last)-(?:child|of-type)|\[\s*\d+\s*\]|\b(?:position|last)\(\)"
)
PLAYWRIGHT_PSEUDO_CLASSES: Final = frozenset(
    (
        *("visible", "light", "text", "text-is", "text-matches", "has-text", "nth-match"),
        *("left-of", "right-of", "above", "below", "near"),
    )
)
_PARTS: Final = re.compile(
    r""">>|\\.|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?""", re.DOTALL
)
"""What Playwright tells apart when it looks for `>>`."""
_UNNAMED: Final = re.compile(
    r"""(\\.)|"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|/\*(?:[^*]|\*(?!/))*+(?:\*/)?""", re.DOTALL
)
"""Strings and comments of CSS, which hold no names; an escaped quote begins none."""
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_PSEUDO_CLASS: Final = re.compile(r"(?<!:):([-\w]+)")
_LAST_CODE_POINT: Final = 0x10FFFF
LONGEST_SELECTOR: Final = 10_000


def require_plain_css(selector: str) -> str:
    """The selector, if all of it is CSS; `ValueError` says what is not."""
    names = _ESCAPE.sub(_unescape, _UNNAMED.sub(r"\1", require_one_selector(selector)))
    for name in _PSEUDO_CLASS.findall(names):
        if name.lower() in PLAYWRIGHT_PSEUDO_CLASSES:
            raise ValueError(f"`:{name}` is Playwright's, not CSS; write texts as `text` beside `css`")
    return selector


def require_one_selector(selector: str) -> str:
    """The selector, if it is not too long and Playwright does not split it; `ValueError` otherwise."""
    if len(selector) > LONGEST_SELECTOR:
        raise ValueError(f"it has {len(selector):,} characters; at most {LONGEST_SELECTOR:,} are allowed")
    if ">>" in _PARTS.findall(selector):
        raise ValueError("`>>` is Playwright's; use `frame`, or a blank for what is inside")
    return selector


def _unescape(escape: re.Match[str]) -> str:
    code = int(escape[1], 16) if escape[1] else ord(escape[2])
    # an escaped colon is part of a name, such as that of the class `md:hidden`
    return "_" if code in (ord(":"), 0) or code > _LAST_CODE_POINT else chr(code)


_Css = Annotated[Text, AfterValidator(require_plain_css)]
_XPath = Annotated[Text, AfterValidator(require_one_selector)]


_SETTINGS: Final = ("frame", "strict")
"""Fields that say where and how to look, and describe no element."""


class Locator(WireModel):
    """Fields that describe one element and narrow each other; at least one is given."""

    role: Text | None = None
    """ARIA role, such as `button`, `textbox` or `link`."""
    text: Text | None = None
    """Beside `role` the accessible name, beside `css` or `xpath` its text, alone the deepest with it."""
    label: Text | None = None
    """Text of the label that belongs to the field."""
    placeholder: Text | None = None
    """The field's placeholder."""
    alt_text: Text | None = None
    """Alternative text of an image."""
    title: Text | None = None
    """The element's title attribute."""
    css: _Css | None = None
    """A CSS selector; looks into open shadow roots."""
    xpath: _XPath | None = None
    """An XPath; does not look into shadow roots."""
    words: Text | None = None
    """What people call it, such as `the Delete button in the row of ACME-17`; looked up at every run."""
    frame: _Css | None = None
    """The iframe to look in: its CSS selector, name or URL."""
    strict: bool | None = None
    """Exactly one element must fit; otherwise the block fails, and names those that do. Words always are."""

    @model_validator(mode="after")
    def _describes_something(self) -> Self:
        if not any(getattr(self, name) for name in type(self).model_fields if name not in _SETTINGS):
            raise ValueError(
                "give at least one of words, role, text, label, placeholder, altText, title, css, xpath"
            )
        return self

    @property
    def beside_words(self) -> Self | None:
        """What narrows the words: the other fields that describe the element; None when there are none."""
        others = self.model_dump(exclude_none=True, exclude={"words", *_SETTINGS})
        return self.model_copy(update={"words": None}) if others else None

    @property
    def is_frame(self) -> bool:
        """True when it names a frame and nothing in it."""
        return not self.model_dump(exclude_none=True, exclude=set(_SETTINGS))

    @property
    def is_position(self) -> bool:
        """True when it counts elements: another takes the place when one is added or gone."""
        return _POSITION.search(f"{self.css or ''} {self.xpath or ''}") is not None

    def __str__(self) -> str:
        """As given, for messages: `role button, text Save`."""
        given = self.model_dump(by_alias=True, exclude_none=True, exclude={"strict"})
        return ", ".join(f"{name} `{value}`" for name, value in given.items())


LOCATOR_KEYS: Final = tuple(field.alias or name for name, field in Locator.model_fields.items())
"""The keys of a locator as they stand in JSON."""


class BlockLocator(Locator):
    """The locator of a block: of kinds that read, `frame` alone means all of that frame."""

    @model_validator(mode="after")
    def _describes_something(self) -> Self:
        if not any(getattr(self, name) for name in type(self).model_fields if name != "strict"):
            raise ValueError(
                "give at least one of words, role, text, label, placeholder, altText, title, css, xpath"
            )
        return self
