"""Pages that weights and thresholds are chosen on."""

from collections.abc import Callable

from .earlier import (
    admin_table,
    bank,
    booking,
    bootstrap,
    dashboard,
    docs,
    mail,
    material,
    news,
    shop,
    tracker,
    wizard,
)
from .later import camera, hotel, recruiting, townhall, warehouse, wiki

TUNING: dict[str, Callable[[], str]] = {
    make.__name__: make
    for make in (
        admin_table,
        shop,
        docs,
        dashboard,
        wizard,
        mail,
        bootstrap,
        material,
        news,
        bank,
        tracker,
        booking,
        recruiting,
        warehouse,
        camera,
        hotel,
        townhall,
        wiki,
    )
}
