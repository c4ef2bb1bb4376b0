"""Third-party front ends in two releases each, from the npm registry: which versions, and which pages.

Weights, rules and thresholds are built on `BUILDING`. `UNSEEN` is measured and nothing more: nobody looks at
its pages, its elements or its single mistakes, and the program does not print them.
"""

from dataclasses import dataclass

_ADMIN = ("login", "register", "index", "charts", "tables")
_LTE = (
    *("index", "index2", "starter", "pages/widgets", "pages/calendar"),
    *(f"pages/tables/{name}" for name in ("simple", "data")),
    *(f"pages/forms/{name}" for name in ("general", "advanced")),
    *(f"pages/mailbox/{name}" for name in ("mailbox", "compose")),
    *(f"pages/examples/{name}" for name in ("login", "register", "profile", "invoice")),
    *(f"pages/UI/{name}" for name in ("general", "buttons")),
)
_GENTELELLA = (
    *("index", "form", "form_validation", "inbox", "profile", "general_elements"),
    *("login", "tables", "widgets", "projects", "contacts", "e_commerce"),
)
_LTE_RENAMED = (
    *((name, name) for name in ("index", "index2", "index3")),
    ("pages/calendar", "pages/calendar"),
    ("pages/kanban", "pages/kanban"),
    *((f"pages/{name}", name) for name in ("tables/simple", "tables/data", "UI/general", "UI/timeline")),
    *(
        (f"pages/mailbox/{old}", f"mailbox/{new}")
        for old, new in (("mailbox", "inbox"), ("compose", "compose"))
    ),
    *((f"pages/examples/{name}", f"examples/{name}") for name in ("login", "register", "lockscreen")),
    *((f"pages/examples/{name}", f"pages/{name}") for name in ("profile", "invoice", "projects", "404")),
    ("pages/forms/general", "forms/elements"),
    ("pages/forms/validation", "forms/validation"),
)
_TABLER = (
    *((name, name) for name in ("index", "profile", "gallery", "form-elements", "icons", "pagination")),
    *(("login", "sign-in"), ("register", "sign-up"), ("forgot-password", "forgot-password")),
    *(("pricing-cards", "pricing"), ("email", "emails"), ("charts", "charts"), ("404", "error-404")),
)


@dataclass(slots=True, frozen=True)
class FrontEnd:
    """A front end at two versions; `old` and `new` are folders in its packages."""

    package: str
    versions: tuple[str, str]
    pages: tuple[str | tuple[str, str], ...] = ("index",)
    """Each page's name, or its names in the two versions."""
    old: str = ""
    new: str = "dist"
    newer_package: str = ""
    """Where the newer version is another package."""
    editors: tuple[str, ...] = ()
    """Of a script that draws a toolbar: the page that loads it, for each of the versions."""


def _start_bootstrap(name: str, before: str, after: str) -> FrontEnd:
    return FrontEnd(f"startbootstrap-{name}", (before, after))


def _editor(package: str, versions: tuple[str, str], *pages: str) -> FrontEnd:
    return FrontEnd(package, versions, ("editor",), new="", editors=pages)


_TINYMCE = """<textarea id=here></textarea><script src="tinymce.min.js"></script><script>
tinymce.init({selector: '#here', plugins: 'link image lists table code fullscreen searchreplace preview',
toolbar: 'undo redo | bold italic underline | alignleft aligncenter | bullist numlist | link image table | '
+ 'code fullscreen searchreplace preview removeformat'})</script>"""
_JODIT = """<link rel=stylesheet href="{0}.css"><textarea id=here></textarea><script src="{0}.js"></script>
<script>Jodit.make('#here')</script>"""
_SUNEDITOR = """<link rel=stylesheet href="dist/css/suneditor.min.css"><link rel=stylesheet
href="dist/suneditor.min.css"><textarea id=here></textarea><script src="dist/suneditor.min.js"></script>
<script>
SUNEDITOR.create(document.getElementById('here'), {buttonList: [['undo', 'redo'], ['font', 'fontSize'],
['bold', 'underline', 'italic', 'strike'], ['fontColor', 'removeFormat'], ['outdent', 'indent'],
['align', 'list'], ['table', 'link', 'image', 'video'], ['fullScreen', 'codeView', 'preview', 'print']]})
</script>"""

BUILDING = (
    _start_bootstrap("agency", "4.1.1", "7.0.12"),
    _start_bootstrap("blog-home", "4.2.1", "5.0.9"),
    _start_bootstrap("coming-soon", "4.1.1", "6.0.7"),
    _start_bootstrap("creative", "4.1.1", "7.0.7"),
    _start_bootstrap("freelancer", "4.1.1", "7.0.7"),
    _start_bootstrap("grayscale", "3.3.7", "7.0.6"),
    _start_bootstrap("grayscale", "4.1.1", "7.0.6"),
    _start_bootstrap("heroic-features", "4.2.1", "5.0.6"),
    _start_bootstrap("landing-page", "3.3.7", "6.0.6"),
    _start_bootstrap("landing-page", "4.1.1", "6.0.6"),
    _start_bootstrap("new-age", "4.1.1", "6.0.7"),
    _start_bootstrap("resume", "4.1.1", "7.0.6"),
    _start_bootstrap("shop-item", "4.0.0", "5.0.6"),
    _start_bootstrap("simple-sidebar", "4.0.0", "6.0.6"),
    _start_bootstrap("stylish-portfolio", "4.1.1", "6.0.6"),
    FrontEnd("startbootstrap-shop-homepage", ("4.3.0", "5.0.6"), old="dist"),
    FrontEnd("startbootstrap-clean-blog", ("4.1.1", "6.0.9"), ("about", "contact", "index", "post")),
    FrontEnd(
        "startbootstrap-modern-business",
        ("4.2.3", "5.0.7"),
        ("about", "contact", "index", "faq", "pricing", "blog-post"),
    ),
    FrontEnd("startbootstrap-sb-admin", ("4.0.0", "5.1.1"), _ADMIN, new=""),
    FrontEnd("startbootstrap-sb-admin", ("5.1.1", "7.0.7"), _ADMIN),
    FrontEnd(
        "startbootstrap-sb-admin-2", ("3.3.7", "4.1.4"), ("index", "login", "blank", "tables"), "pages", ""
    ),
    FrontEnd("admin-lte", ("2.4.18", "3.2.0"), _LTE, new=""),
    FrontEnd("gentelella", ("1.4.0", "2.1.0"), _GENTELELLA, "production", "production"),
    FrontEnd("gentelella", ("2.1.0", "4.2.0"), _GENTELELLA, "production", "dist/production"),
    FrontEnd(
        "material-dashboard",
        ("2.1.0", "3.1.0"),
        ("dashboard", "tables", "notifications"),
        "examples",
        "pages",
    ),
    _editor("tinymce", ("4.9.11", "6.8.5"), _TINYMCE, _TINYMCE),
)
UNSEEN = (
    _start_bootstrap("blog-post", "4.1.1", "5.0.9"),
    _start_bootstrap("business-frontpage", "4.2.2", "5.0.9"),
    _start_bootstrap("one-page-wonder", "4.1.1", "6.0.6"),
    _start_bootstrap("scrolling-nav", "4.1.1", "5.0.6"),
    _start_bootstrap("small-business", "4.2.3", "5.0.6"),
    FrontEnd("startbootstrap-business-casual", ("4.0.0", "7.0.9"), ("index", "about", "products", "store")),
    FrontEnd("admin-lte", ("3.2.0", "4.0.0"), _LTE_RENAMED),
    FrontEnd("tabler-ui", ("0.0.32", "1.2.0"), _TABLER, "dist", newer_package="@tabler/preview"),
    FrontEnd(
        "@creative-tim-official/argon-dashboard-free",
        ("1.0.0", "1.2.0"),
        (*(f"examples/{name}" for name in ("login", "register", "profile")), ("index", "examples/dashboard")),
        new="",
    ),
    FrontEnd(
        "now-ui-kit",
        ("1.0.0", "1.3.0"),
        ("index", *(f"examples/{name}-page" for name in ("login", "landing", "profile"))),
        new="",
    ),
    FrontEnd(
        "uikit",
        ("2.27.4", "3.21.0"),
        tuple(
            (f"core/{name}", name)
            for name in ("form", "modal", "navbar", "nav", "tab", "table", "switcher", "button", "pagination")
        ),
        "tests",
        "tests",
    ),
    _editor(
        "jodit",
        ("3.24.9", "4.2.47"),
        _JODIT.format("build/jodit.es2018.en"),
        _JODIT.format("es2021.en/jodit"),
    ),
    _editor("suneditor", ("2.47.0", "3.3.3"), _SUNEDITOR, _SUNEDITOR),
)
