"""Wagtail with a news site: the editors' side at /cms/ (account `ada`, password `correct horse battery`)."""

# ruff: noqa: E402 - the path has to be set before anything is imported
# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalCall=false, reportCallIssue=false
# (the library has no type hints)

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])  # this file is called like the package it starts

import django
from django.conf import settings

from support.apps import report_ready
from support.apps.serving import listen, settings_for

FOLDER = Path(sys.argv[1])
PASSWORD = "correct horse battery"
# their tables are made at once: a hundred migrations would take longer than all tests do
UNMIGRATED = (
    "auth",
    "newsroom",
    "sessions",
    "taggit",
    "wagtailadmin",
    "wagtailcore",
    "wagtaildocs",
    "wagtailembeds",
    "wagtailimages",
    "wagtailsearch",
    "wagtailusers",
)

settings.configure(
    **settings_for(
        FOLDER,
        apps=[
            "support.apps.newsroom",
            "wagtail.users",
            "wagtail.images",
            "wagtail.documents",
            "wagtail.snippets",
            "wagtail.sites",
            "wagtail.embeds",
            "wagtail.search",
            "wagtail.admin",
            "wagtail",
            "taggit",
            "modelcluster",
        ],
        MIGRATION_MODULES=dict.fromkeys(UNMIGRATED),
        WAGTAILSEARCH_BACKENDS={"default": {"BACKEND": "wagtail.search.backends.database.fallback"}},
        MEDIA_ROOT=str(FOLDER / "media"),
        MEDIA_URL="/media/",
        WAGTAIL_SITE_NAME="Newsroom",
        WAGTAIL_ENABLE_UPDATE_CHECK=False,
        WAGTAIL_ENABLE_WHATS_NEW_BANNER=False,
        WAGTAILADMIN_BASE_URL="http://127.0.0.1",
        EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    )
)
django.setup()

from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path, re_path
from django.views.static import serve
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as wagtailadmin_urls
from wagtail.models import Collection, Locale, Page, Site

urlpatterns = [
    path("cms/", include(wagtailadmin_urls)),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": FOLDER / "media"}),
    path("", include(wagtail_urls)),
]


def make_site() -> None:
    """What Wagtail's own migrations put into a new database."""
    Locale.objects.create(language_code="en")
    root = Page.add_root(title="Root", slug="root")
    home = root.add_child(instance=Page(title="Home", slug="home"))
    Site.objects.create(hostname="127.0.0.1", port=80, root_page=home, is_default_site=True)
    Collection.add_root(name="Root")


call_command("migrate", run_syncdb=True, verbosity=0)
make_site()
User.objects.create_superuser("ada", "ada@site.test", PASSWORD)
server = listen(StaticFilesHandler(get_wsgi_application()))
report_ready(FOLDER, f"http://127.0.0.1:{server.server_port}", password=PASSWORD)
server.serve_forever()
