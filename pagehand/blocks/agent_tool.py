"""What a kind declares so that an agent may use it as a tool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class AgentTool:
    """How an agent uses a kind: as blocks whose other fields keep their defaults."""

    purpose: str
    """One sentence for the model."""
    fields: tuple[str, ...] = ()
    """The fields, by wire name, that the model may fill in."""
    required: tuple[str, ...] = ()
    """Those of them that it must fill in."""
    acts_on_element: bool = True
    """False when it takes no reference to an element."""
    helps_recovery: bool = False
    """True when it only clears the way, so that the recovery agent may use it too."""


@dataclass(frozen=True, slots=True)
class AgentTarget:
    """The element that an agent's step acts on."""

    name: str
    """How a locator describes it; nothing in it is a template."""
    tag: str
    type: str
    role: str
    origin: str
    """Of the page or frame it is in."""
    is_secret: bool
    """True for password fields and for fields whose content is masked."""
    says: Sequence[str]
    """What the control says of itself: text, labels, identifiers."""
    submit_says: Sequence[str]
    """The same of the button that submits its form; empty without one."""

    @classmethod
    def read(cls, name: str, facts: Mapping[str, Any]) -> Self:
        """From what `agent_target.js` found out about the element."""
        return cls(
            name=name,
            tag=facts["tag"],
            type=facts["type"],
            role=facts["role"],
            origin=facts["origin"],
            is_secret=facts["isSecret"],
            says=facts["says"],
            submit_says=facts["submit"],
        )

    @property
    def input_type(
        self,
    ) -> str:
        """Which `inputType` fills it in; `Radio` for what has to be clicked."""
        if self.is_secret:
            return "SensitiveTextInput"
        if self.tag == "select":
            return "Dropdown"
        if "radio" in (self.type, self.role):
            return "Radio"
        if {"checkbox", "switch"} & {self.type, self.role}:
            return "Checkbox"
        return "Date" if "date" in (self.type, self.role) else "TextInput"
