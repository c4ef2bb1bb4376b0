"""The demo as the API sees it."""

from typing import Protocol


class DemoSite(Protocol):
    """The demo portal and the workflow that works on it.

    Implemented in `pagehand.demo`, which the API must not import: an installation without the demo never
    loads it.
    """

    url: str
    organization_id: str
    workflow_id: str

    @property
    def is_broken(self) -> bool:
        """Whether the portal's markup was changed."""
        ...

    def set_broken(self, is_broken: bool, /) -> None:
        """Change the markup, or change it back."""
        ...
