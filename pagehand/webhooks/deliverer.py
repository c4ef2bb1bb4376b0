"""Sends the deliveries that are due: many at once, a few per webhook, slow ones in a share of their own."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import structlog

from pagehand.clock import now_ms
from pagehand.errors import PagehandError, Unavailable
from pagehand.loop import Loop
from pagehand.ports import Http
from pagehand.records import Delivery, Webhook
from pagehand.storage.webhooks import TAKEN_MS, DeliveryStore, WebhookStore
from pagehand.webhooks.formats import MOST_SHOWN, AlertMail
from pagehand.webhooks.secret import WebhookSecrets, open_secrets, signed_headers

_log = structlog.get_logger(__name__)
_PER_WEBHOOK = 4
_AT_ONCE = 512
_SLOW_AT_ONCE = _AT_ONCE // 2
"""How many of them may go to slow targets, so that any number of those leaves room for the others."""
_SLOW_SECONDS = 5.0
"""A target that takes longer is slow until it is quicker: it gets one delivery at a time."""
_ATTEMPT_SECONDS = 15.0
_LOOK_AGAIN_SECONDS = 15.0
_GIVE_UP_EVERY_MS = 60_000
_TROUBLE_SECONDS = 1.0
_GRACE_SECONDS = 5.0
_ERROR_LENGTH = 500
_GONE = 410
_TOO_SLOW = "The target was too slow to be sent this within a day."
_NO_MAIL = "No mail server is set any more: set `PAGEHAND_SMTP_HOST`."
_SWITCHED_OFF = "The webhook is switched off."
_HEADERS = (("Content-Type", "application/json"), ("User-Agent", "Pagehand-Webhooks"))
QUIET_MS = 600_000
"""After a mail about a workflow, others about the same wait so long, to be sent as one."""
KEPT_TRYING_MS = 24 * 3_600_000
"""How long a delivery is tried."""
_FIRST_SECONDS = 5.0
_GROWTH = 3.0
_MAX_SECONDS = 4 * 3600.0
_JITTER = 0.2


class Deliverer:
    """Sends deliveries as long as the service runs."""

    def __init__(
        self,
        deliveries: DeliveryStore,
        webhooks: WebhookStore,
        box: WebhookSecrets,
        http: Http,
        on_attempt: Callable[[str | None], None] = lambda _: None,
        mail: AlertMail | None = None,
        quiet_ms: int = QUIET_MS,
    ) -> None:
        """`on_attempt` is called with the error of every attempt, None for a delivered one."""
        self._on_attempt = on_attempt
        self._mail = mail
        self._quiet_ms = quiet_ms
        self._deliveries = deliveries
        self._webhooks = webhooks
        self._box = box
        self._http = http
        self._loop = Loop("webhook deliveries", self._take_due, _TROUBLE_SECONDS)
        self.start, self.wake = self._loop.start, self._loop.wake
        self._sending: dict[asyncio.Task[None], str] = {}
        self._slow: set[str] = set()
        """The webhooks whose targets took long at their last attempt."""
        self._give_up_at = 0

    async def stop(self) -> None:
        """Stop sending; attempts that do not end soon are repeated after the next start."""
        await self._loop.stop()
        if self._sending:
            _, late = await asyncio.wait(self._sending, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def attempt(self, delivery: Delivery) -> Delivery:
        """Send a delivery once and store the result."""
        # read for every attempt: it may have been switched off or deleted since
        webhook = await self._webhooks.get(delivery.organization_id, delivery.webhook_id)
        is_on = webhook is not None and webhook.is_active
        if webhook and is_on and webhook.format == "mail" and self._mail is not None:
            return await self._attempt_mail(self._mail, delivery, webhook)
        began = monotonic()
        status, error = await self._send(delivery, webhook) if webhook and is_on else (None, _SWITCHED_OFF)
        (self._slow.add if monotonic() - began > _SLOW_SECONDS else self._slow.discard)(delivery.webhook_id)
        after = self._judge(delivery, status, error, is_on=is_on)
        await self._deliveries.settle(after)
        if status == _GONE:  # the target asks for no more deliveries
            await self._webhooks.update(
                delivery.organization_id, delivery.webhook_id, is_active=False, updated_at=now_ms()
            )
        return after

    async def _attempt_mail(self, mail: AlertMail, delivery: Delivery, webhook: Webhook) -> Delivery:
        """Send a mail with everything that waits about the same; later, if one was sent a short time ago."""
        shown, total = [delivery], 1
        if delivery.topic is not None:  # else a test, or sent again by a person
            shown, total = await self._deliveries.gather(delivery, quiet_ms=self._quiet_ms, most=MOST_SHOWN)
            if not shown:
                return delivery
        error = None
        try:
            await mail.send(webhook, shown, total)
        except PagehandError as trouble:
            error = trouble.message[:_ERROR_LENGTH]
        after = self._judge(delivery, None, error, is_on=True)
        await (self._deliveries.settle if delivery.topic is None else self._deliveries.settle_all)(after)
        return after

    def _judge(self, delivery: Delivery, status: int | None, error: str | None, *, is_on: bool) -> Delivery:
        """The delivery after an attempt: delivered, to be tried again, or given up."""
        self._on_attempt(error)
        now = now_ms()
        after = replace(delivery, response_status=status, error=error, last_attempt_at=now, next_at=None)
        if error is None:
            after.status, after.delivered_at = "delivered", now
        elif is_on and status != _GONE and delivery.next_at is not None:  # a test is sent once
            after.next_at = next_attempt(delivery.created_at, delivery.attempts, now)
        if error is not None:
            after.status = "failed" if after.next_at is None else "pending"
        return after

    async def _take_due(self) -> float:
        return 0 if await self._take() else await self._seconds_until_due()

    async def _take(self) -> int:
        room = _AT_ONCE - len(self._sending)
        if room <= 0:
            return 0
        now = await self._deliveries.now()  # not this machine's clock: another's may be ahead of it
        busy, idle_slow = self._busy(), self._idle_slow()
        taken = await self._deliveries.take(
            now=now, until=now + TAKEN_MS, busy=[*busy, *idle_slow], per_webhook=_PER_WEBHOOK, limit=room
        )
        if idle_slow and (room := min(room - len(taken), self._slow_room)) > 0:
            await self._give_up_late(idle_slow, now)
            taken += await self._deliveries.take(
                now=now, until=now + TAKEN_MS, only=idle_slow, per_webhook=1, limit=room
            )
        for delivery in taken:
            task = asyncio.create_task(self._deliver(delivery))
            self._sending[task] = delivery.webhook_id
            task.add_done_callback(self._sent)
        return len(taken)

    async def _give_up_late(self, slow: list[str], now: int) -> None:
        """Fail what slow targets were not sent within a day: more may come for them than they take."""
        if now >= self._give_up_at:
            self._give_up_at = now + _GIVE_UP_EVERY_MS
            await self._deliveries.give_up(slow, now - KEPT_TRYING_MS, _TOO_SLOW)

    def _busy(self) -> list[str]:
        """The webhooks that get no more for now; all that are slow, while those have their share."""
        counts = Counter(self._sending.values())
        busy = {webhook_id for webhook_id, count in counts.items() if count >= self._most(webhook_id)}
        return list(busy | self._slow if self._slow_room <= 0 else busy)

    def _idle_slow(self) -> list[str]:
        return list(self._slow.difference(self._busy()))

    def _most(self, webhook_id: str) -> int:
        return 1 if webhook_id in self._slow else _PER_WEBHOOK

    @property
    def _slow_room(self) -> int:
        return _SLOW_AT_ONCE - sum(webhook_id in self._slow for webhook_id in self._sending.values())

    async def _seconds_until_due(self) -> float:
        if len(self._sending) >= _AT_ONCE:
            return _LOOK_AGAIN_SECONDS
        due = await self._deliveries.next_due(self._busy())
        if due is None:
            return _LOOK_AGAIN_SECONDS
        now = await self._deliveries.now()
        return min(max(0.0, (due - now) / 1000), _LOOK_AGAIN_SECONDS)

    def _sent(self, task: "asyncio.Task[None]") -> None:
        self._sending.pop(task, None)
        self.wake()

    async def _deliver(self, delivery: Delivery) -> None:
        try:
            await self.attempt(delivery)
        except Unavailable:
            return  # not stored, so it is due again soon: sent twice rather than never
        except Exception:  # noqa: BLE001 - a bug with one delivery must not end the others
            _log.exception("delivery failed with a bug", delivery=delivery.id)

    async def _send(self, delivery: Delivery, webhook: Webhook) -> tuple[int | None, str | None]:
        """The status of the answer, and the error; None for one that was accepted."""
        if webhook.format == "mail":
            return None, _NO_MAIL
        now = now_ms()
        try:
            signatures = signed_headers(delivery, open_secrets(self._box, webhook).valid(now), now)
            answer = await self._http.send(
                "POST",
                webhook.url,
                headers=[*_HEADERS, *signatures],
                body=delivery.body.encode(),
                timeout_seconds=_ATTEMPT_SECONDS,
                max_bytes=0,  # the status is enough: a body may be long, or never end
                follow_redirects=False,
            )
        except PagehandError as trouble:
            return None, trouble.message[:_ERROR_LENGTH]
        return answer.status, _problem(answer.status)


def _problem(status: int) -> str | None:
    if 200 <= status < 300:  # noqa: PLR2004 - HTTP's own classes
        return None
    if 300 <= status < 400:  # noqa: PLR2004 - as above
        return f"The target answered {status}: redirects are not followed. Give the final address as `url`."
    return f"The target answered {status}; expected 200 to 299."


def next_attempt(created_at: int, attempts: int, now: int) -> int | None:
    """The moment of the next attempt after so many; None when the day is over.

    About 5 s, 15 s, 45 s … up to 4 hours apart, each with some jitter so that a target that comes back does
    not get everything at once; the last attempt is at the end of the day.
    """
    end = created_at + KEPT_TRYING_MS
    if now >= end:
        return None
    seconds = min(_FIRST_SECONDS * _GROWTH ** min(attempts - 1, 20), _MAX_SECONDS)
    spread = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, guards nothing
    return min(now + round(seconds * spread * 1000), end)
