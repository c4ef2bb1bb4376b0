"""Which names are known at a block: what loops around it add, which blocks and parameters there are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pagehand.checks.names import Name
from pagehand.workflow.nearest import listed, nearest

ALWAYS: Final = ("params", "blocks", "login", "execution", "now")
_SHOWN: Final = 20


@dataclass(slots=True, frozen=True)
class Scope:
    """The names that templates and expressions may use at one place."""

    blocks: Mapping[str, int]
    """The references of all blocks, and their places in the order of the workflow."""
    declared: frozenset[str] | None
    """The parameters that the workflow declares; None when it declares none."""
    deleted: frozenset[str] = frozenset()
    """References of blocks that the current edit deletes."""
    added: frozenset[str] = field(default_factory=frozenset[str])
    """Names that the loops around it give: `item`, `index` and every `itemName`."""

    def inside(self, names: Iterable[str]) -> "Scope":
        """The scope of blocks nested in one that adds these names."""
        return replace(self, added=self.added | frozenset(names))

    def problem(self, name: Name) -> str | None:
        """Why a name cannot be right, and what to write instead; None when it may be."""
        if name.root in ("item", "index") and name.root not in self.added:
            return f"`{name.written}` is known only inside a loop; this block does not stand in one"
        if name.root not in ALWAYS and name.root not in self.added:
            return self._unknown(name)
        if name.root == "blocks" and name.member is not None and name.member not in self.blocks:
            return self._no_block(name.written, name.member)
        if name.root == "params" and name.member is not None and self._is_undeclared(name.member):
            hint = _hint(name.member, sorted(self.declared or ()))
            return f"`{name.written}`: the workflow declares no parameter `{name.member}`{hint}"
        return None

    def _is_undeclared(self, member: str) -> bool:
        return self.declared is not None and member not in self.declared

    def _unknown(self, name: Name) -> str:
        known = (*ALWAYS, *sorted(self.added))
        meant = nearest(name.root, known)
        # `{{table}}` is easily written for `{{blocks.table}}`
        if meant is None and name.root in self.blocks:
            return f"`{name.written}`: a block's output is read as `blocks.{name.root}`"
        hint = f"did you mean `{meant}`?" if meant else f"there is {listed(known)}"
        return f"`{name.written}`: there is no `{name.root}`; {hint}"

    def _no_block(self, written: str, member: str) -> str:
        # the reference was right until this very edit: a guess at another name would mislead
        if member in self.deleted:
            return f"`{written}` names the block `{member}`, which this edit deletes; change this block first"
        known = sorted(self.blocks)
        return f"`{written}`: there is no block `{member}` in this workflow{_hint(member, known)}"


def _hint(name: str, known: list[str]) -> str:
    if meant := nearest(name, known):
        return f"; did you mean `{meant}`?"
    return f"; there is {listed(known[:_SHOWN])}" if known else ""
