"""Figures for Prometheus: to callers on the same machine, or with a key that may see them."""

from typing import Any

from starlette.responses import Response

from pagehand.api.auth import is_forwarding, is_loopback, split_host
from pagehand.api.fields import Nothing
from pagehand.api.operation import Call, Incoming, Result, page
from pagehand.clock import now_ms

_TYPE = "text/plain; version=1.0.0; charset=utf-8"


@page("/metrics")
async def metrics(call: Call[Nothing]) -> Result:
    """Figures as Prometheus reads them; needs the scope `metrics` unless it is asked for on loopback."""
    if not _is_local(call.incoming):
        await call.parts.admission.admit(dict(call.incoming.headers), None, "metrics")
    return Response(await _shown(call), media_type=_TYPE)


async def _shown(call: Call[Any]) -> bytes:
    parts = call.parts
    by_status, oldest_at = await parts.stores.executions.count_everybodys()
    return parts.metrics.show(
        by_status=by_status,
        oldest_seconds=0 if oldest_at is None else max(0, now_ms() - oldest_at) / 1000,
        idle_browsers=parts.idle_browsers(),
        busy_browsers=parts.engine.busy_browsers,
        workers=await parts.count_workers(),
    )


def _is_local(incoming: Incoming) -> bool:
    """Whether the caller itself is on this machine: not a proxy's, nor a page's whose name points here."""
    if not is_loopback(incoming.peer) or any(is_forwarding(name) for name in incoming.headers):
        return False
    return is_loopback(split_host(incoming.header("host") or "")[0])


OPERATIONS = (metrics,)
