"""Metrics for Prometheus: for callers on the same machine, or with a key that has the scope `metrics`."""

from typing import Any

from starlette.responses import Response

from pagehand.api.auth import is_loopback, is_proxy_header, split_host
from pagehand.api.fields import EmptyRequest
from pagehand.api.operation import Call, HttpRequest, Result, public_get
from pagehand.clock import now_ms

_TYPE = "text/plain; version=1.0.0; charset=utf-8"


@public_get("/metrics")
async def metrics(call: Call[EmptyRequest]) -> Result:
    """Figures as Prometheus reads them; needs the scope `metrics` unless it is asked for on loopback."""
    if not _is_local(call.http_request):
        await call.services.authenticator.authenticate(dict(call.http_request.headers), None, "metrics")
    return Response(await _render(call), media_type=_TYPE)


async def _render(call: Call[Any]) -> bytes:
    services = call.services
    by_status, oldest_at = await services.stores.executions.count_all_organizations()
    return services.metrics.show(
        by_status=by_status,
        oldest_seconds=0 if oldest_at is None else max(0, now_ms() - oldest_at) / 1000,
        idle_browsers=services.idle_browsers(),
        busy_browsers=services.engine.busy_browsers,
        workers=await services.count_workers(),
    )


def _is_local(http_request: HttpRequest) -> bool:
    """Whether the caller is on this machine: not behind a proxy, nor a page whose DNS name points here."""
    if not is_loopback(http_request.peer) or any(is_proxy_header(name) for name in http_request.headers):
        return False
    return is_loopback(split_host(http_request.header("host") or "")[0])
