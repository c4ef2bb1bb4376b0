"""Logging: one line per event on standard error, as logfmt on a terminal and as JSON elsewhere."""

import logging
import sys

import structlog


def configure(level: str) -> None:
    """Set up structlog, and show only warnings of libraries."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _renderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # stdout belongs to what commands print for programs
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def _renderer() -> structlog.typing.Processor:
    if sys.stderr.isatty():
        return structlog.processors.LogfmtRenderer(
            key_order=["timestamp", "level", "event"], drop_missing=True
        )
    return structlog.processors.JSONRenderer()
