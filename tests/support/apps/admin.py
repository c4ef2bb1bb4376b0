"""Django's admin behind django-otp: accounts with a password, a TOTP device, or codes by e-mail.

Options: `smtp` ([host, port]) where codes are sent, `mail` their address, `validity` in seconds, `port`.
Accounts (password `correct horse battery`): `plain` at /admin/, and `totp`, `mail`, `locked` at /otp/.
At /admin/ there is also a library of 25 books to work with, kept in `site.sqlite3`.
Words of its pages change while it runs: `reworded.json` in its folder gives the new ones by the old.
"""

# ruff: noqa: E402 - Django has to be set up before its models can be imported
# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalCall=false
# (the library has no type hints)

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

import django
from django.conf import settings

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.apps import report_ready
from support.apps.serving import listen, settings_for

FOLDER = Path(sys.argv[1])
OPTIONS = json.loads(sys.argv[2])
PASSWORD = "correct horse battery"
HOST, PORT = OPTIONS.get("smtp", ["127.0.0.1", 1])

settings.configure(
    **settings_for(
        FOLDER,
        apps=[
            "django.contrib.admin",
            "django_otp",
            "django_otp.plugins.otp_totp",
            "django_otp.plugins.otp_email",
            "support.apps.library",
        ],
        middleware=["django_otp.middleware.OTPMiddleware", "__main__.rewording"],
        TIME_ZONE="UTC",
        MEDIA_ROOT=str(FOLDER / "media"),
        EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
        EMAIL_HOST=HOST,
        EMAIL_PORT=PORT,
        OTP_EMAIL_SENDER="codes@site.test",
        OTP_EMAIL_SUBJECT="Your verification code",
        OTP_EMAIL_BODY_TEMPLATE="Hello,\n\nyour verification code is {{ token }}.\nOrder 2024: 5550199.",
        OTP_EMAIL_TOKEN_VALIDITY=OPTIONS.get("validity", 300),
        OTP_EMAIL_COOLDOWN_DURATION=1,
    )
)
django.setup()

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils import timezone
from django_otp.admin import OTPAdminSite
from django_otp.plugins.otp_email.models import EmailDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from support.apps.library.models import Author, Book, Genre


def rewording(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: pages say it in other words."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        words = FOLDER / "reworded.json"
        if words.exists() and response["Content-Type"].startswith("text/html"):
            response.render() if hasattr(response, "render") else None
            for old, new in json.loads(words.read_text()).items():
                response.content = response.content.replace(old.encode(), new.encode())
        return response

    return answer


otp_site = OTPAdminSite(name="otpadmin")
otp_site.register(Group)
urlpatterns = [path("admin/", admin.site.urls), path("otp/", otp_site.urls)]


def make_accounts() -> str:
    """The TOTP seed of the accounts that have one."""
    call_command("migrate", run_syncdb=True, verbosity=0)
    users = {
        name: User.objects.create_superuser(name, f"{name}@site.test", PASSWORD)
        for name in ("plain", "totp", "mail", "locked")
    }
    device = TOTPDevice.objects.create(user=users["totp"], name="phone")
    TOTPDevice.objects.create(
        user=users["locked"],
        name="phone",
        key=device.key,
        throttling_failure_count=12,
        throttling_failure_timestamp=timezone.now(),
    )
    EmailDevice.objects.create(user=users["mail"], name="mail", email=OPTIONS.get("mail", "mail@site.test"))
    return base64.b32encode(device.bin_key).decode()


def fill_library() -> None:
    """Authors, genres and books to look for."""
    authors = [Author.objects.create(name=name) for name in ("Ada Lovelace", "Mary Shelley", "Jane Austen")]
    for name in ("Essay", "History", "Novel", "Poetry"):
        Genre.objects.create(name=name)
    Book.objects.bulk_create(
        Book(
            title=f"Book {number:02}",
            author=authors[number % 3],
            status="listed" if number % 5 else "gone",
            price=number * 10 + 0.5,
            lendable=number % 2 == 0,
        )
        for number in range(1, 26)
    )


seed = make_accounts()
fill_library()
server = listen(StaticFilesHandler(get_wsgi_application()), OPTIONS.get("port", 0))
report_ready(FOLDER, f"http://127.0.0.1:{server.server_port}", seed=seed, password=PASSWORD)
server.serve_forever()
