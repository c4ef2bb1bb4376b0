"""What changed, for those who watch: sent to every process."""

from pagehand.engine.changes import Changes
from pagehand.engine.postgres.notices import Notices
from pagehand.ids import new_id


class SharedChanges(Changes):
    """Changes of all processes, for the watchers of this one."""

    def __init__(self, notices: Notices) -> None:
        super().__init__()
        self._notices = notices
        self._sender = new_id("sender")
        notices.hear("change", self._heard)
        notices.on_gap.append(self.publish_everything)

    @property
    def is_watched(self) -> bool:
        """True: whether anybody watches in another process is not known here."""
        return True

    def publish(self, organization_id: str, noun: str, id: str = "") -> None:  # noqa: A002 - the API's own word
        """Something changed; every process hears of it."""
        super().publish(organization_id, noun, id)
        self._notices.send_soon("change", self._sender, organization_id, noun, id)

    def _heard(self, words: list[str]) -> None:
        sender, organization_id, noun, changed_id = words
        if sender != self._sender:
            super().publish(organization_id, noun, changed_id)
