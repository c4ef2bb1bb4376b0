"""Changes of an organization's things, sent to the watchers of every process."""

from pagehand.engine.changes import Changes
from pagehand.engine.postgres.notifications import Notifications
from pagehand.ids import new_id


class SharedChanges(Changes):
    """Changes of all processes, for the watchers of this one."""

    def __init__(self, notifications: Notifications) -> None:
        super().__init__()
        self._notifications = notifications
        self._sender = new_id("sender")
        notifications.subscribe("change", self._on_notification)
        notifications.on_gap.append(self.publish_everything)

    @property
    def is_watched(self) -> bool:
        """True: this process does not know whether another has watchers."""
        return True

    def publish(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - the API's own word
        """Report a change to the watchers of every process."""
        super().publish(organization_id, noun, id)
        self._notifications.send_soon("change", self._sender, organization_id, noun, id)

    def _on_notification(self, words: list[str]) -> None:
        sender, organization_id, noun, changed_id = words
        if sender != self._sender:
            super().publish(organization_id, noun, changed_id)
