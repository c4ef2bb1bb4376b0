"""An OpenID provider (django-oauth-toolkit), and an application on another port that signs in through it.

The account is `ada`, password `correct horse battery`; `url` is the provider, `facts["application"]` the
application, whose `/start` redirects to the provider and whose `/home` greets the signed-in user.
"""

# ruff: noqa: E402 - Django has to be set up before its models can be imported
# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalCall=false
# (the library has no type hints)

import html
import json
import secrets
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import django
from django.conf import settings

sys.path.insert(0, str(Path(__file__).parents[2]))

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from support.apps import report_ready
from support.apps.serving import listen, settings_for

FOLDER = Path(sys.argv[1])
PASSWORD = "correct horse battery"
CLIENT, CLIENT_SECRET = "the-application", secrets.token_urlsafe(16)
_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)

settings.configure(
    **settings_for(
        FOLDER,
        apps=["django.contrib.admin", "oauth2_provider"],
        LOGIN_URL="/admin/login/",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": _KEY.decode(),
            "PKCE_REQUIRED": False,
            "SCOPES": {"openid": "Know who you are"},
            "REQUEST_APPROVAL_PROMPT": "auto",
        },
    )
)
django.setup()

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from oauth2_provider.models import Application

urlpatterns = [
    path("admin/", admin.site.urls),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]

SESSIONS: dict[str, str] = {}
STATES: set[str] = set()
Start = Callable[[str, list[tuple[str, str]]], Any]


class SignedInThroughProvider:
    """The application: signs users in through the provider (authorization code flow) and greets them."""

    provider = ""
    url = ""

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        query = {name: values[-1] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
        cookie = SimpleCookie(environ.get("HTTP_COOKIE", ""))
        user = SESSIONS.get(cookie["who"].value) if "who" in cookie else None
        if environ["PATH_INFO"] == "/start":
            return self._to_provider(start)
        if environ["PATH_INFO"] == "/back" and query.get("state") in STATES:
            return self._come_back(query["code"], start)
        if environ["PATH_INFO"] == "/home" and user:
            start("200 OK", [("Content-Type", "text/html")])
            return [f"<h1>Home</h1><p id=who>Hello {html.escape(user)}</p><a href=/out>Log out</a>".encode()]
        start("302 Found", [("Location", "/start")])
        return []

    def _to_provider(self, start: Start) -> list[bytes]:
        state = secrets.token_urlsafe(8)
        STATES.add(state)
        asked = {
            "response_type": "code",
            "client_id": CLIENT,
            "redirect_uri": f"{self.url}/back",
            "scope": "openid",
            "state": state,
        }
        start("302 Found", [("Location", f"{self.provider}/o/authorize/?{urlencode(asked)}")])
        return []

    def _come_back(self, code: str, start: Start) -> list[bytes]:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": f"{self.url}/back",
            "client_id": CLIENT,
            "client_secret": CLIENT_SECRET,
        }
        token = self._ask("/o/token/", urlencode(fields).encode(), {})["access_token"]
        who = self._ask("/o/userinfo/", None, {"Authorization": f"Bearer {token}"})["sub"]
        session = secrets.token_urlsafe(16)
        SESSIONS[session] = User.objects.get(pk=int(who)).username
        start("302 Found", [("Location", "/home"), ("Set-Cookie", f"who={session}; Path=/; HttpOnly")])
        return []

    def _ask(self, where: str, body: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
        request = urllib.request.Request(self.provider + where, body, headers)  # noqa: S310 - our own provider
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - as above
            return json.load(answer)


call_command("migrate", verbosity=0)
application = SignedInThroughProvider()
servers = [listen(get_wsgi_application()), listen(application)]
application.provider, application.url = (f"http://127.0.0.1:{server.server_port}" for server in servers)
ada = User.objects.create_superuser("ada", "ada@site.test", PASSWORD)
Application.objects.create(
    name="The Application",
    user=ada,
    client_id=CLIENT,
    client_secret=CLIENT_SECRET,
    client_type=Application.CLIENT_CONFIDENTIAL,
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
    redirect_uris=f"{application.url}/back",
    algorithm="RS256",
)
threading.Thread(target=servers[1].serve_forever, daemon=True).start()
report_ready(FOLDER, application.provider, application=application.url, password=PASSWORD)
servers[0].serve_forever()
