"""Logging: one line per event on standard error, as logfmt on a terminal and as JSON elsewhere."""

import logging
import sys

import orjson
import structlog


def configure(level: str) -> None:
    """Set up structlog, and show only warnings of libraries."""
    is_terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            # a request's line may be written a moment after the request has ended
            structlog.processors.MaybeTimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _logfmt() if is_terminal else structlog.processors.JSONRenderer(serializer=orjson.dumps),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # stdout belongs to what commands print for programs
        # as bytes a line takes a third less time than as text
        logger_factory=structlog.WriteLoggerFactory(sys.stderr)
        if is_terminal
        else structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")


def _logfmt() -> structlog.typing.Processor:
    return structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], drop_missing=True)
