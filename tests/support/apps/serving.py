"""Serves a WSGI application on loopback, for the scripts beside it."""

from collections.abc import Callable
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's own name
        del format, args


def listen(application: Callable[..., Any], port: int = 0) -> WSGIServer:
    """A server that answers once `serve_forever` is called."""
    return make_server("127.0.0.1", port, application, server_class=_Server, handler_class=_Quiet)


def settings_for(folder: Path, **more: Any) -> dict[str, Any]:
    """Django's settings for a site that keeps its data in `folder`."""
    return {
        "DEBUG": False,
        "SECRET_KEY": "only for tests",
        "ALLOWED_HOSTS": ["127.0.0.1"],
        "ROOT_URLCONF": "__main__",
        "USE_TZ": True,
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick: the secrets are none
        "DATABASES": {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(folder / "site.sqlite3"),
                "OPTIONS": {"timeout": 20},
            }
        },
        "DEFAULT_AUTO_FIELD": "django.db.models.BigAutoField",
        "STATIC_URL": "/static/",
        "MIDDLEWARE": [
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            *more.pop("middleware", []),
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        "INSTALLED_APPS": [
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "django.contrib.staticfiles",
            *more.pop("apps", []),
        ],
        **more,
    }
