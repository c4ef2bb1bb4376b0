"""Pages nobody tunes on: written before they were measured, and only their sums are looked at.

Whoever works on the scorer works with `tuning.py`; `healing.py --all` does not tell of these pages.
"""

from collections.abc import Callable

from .abroad import claim_form, course
from .offices import bank_portal, helpdesk, permit
from .products import fleet_dashboard, player, saas_settings
from .public import flights, forum, orders, repository

KEPT_OUT: dict[str, Callable[[], str]] = {
    make.__name__: make
    for make in (
        bank_portal,
        helpdesk,
        permit,
        saas_settings,
        fleet_dashboard,
        player,
        claim_form,
        course,
        orders,
        forum,
        flights,
        repository,
    )
}
