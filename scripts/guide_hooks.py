"""What MkDocs does not do by itself: `llms.txt`, no inline scripts, links out of `docs/`, notices."""

import hashlib
import re
import shutil
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_LINK_OUTSIDE = re.compile(r"\[[^\]]+\]\(\.\./([^)#]+)[^)]*\)")
_TYPE = re.compile(r"^### .*\n\n`type`: `(\w+)`", re.MULTILINE)
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_NO_SENTENCE = (" ", "!", "#", "|", "- ", "1.", "```")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_scripts: dict[str, str] = {}
"""The theme's inline scripts, by the files they are moved to."""
_index: list[str] = []
"""The lines of `llms.txt`."""


def on_nav(nav: Any, config: Any, **_: Any) -> Any:
    """Make the index for language models from the navigation."""
    _index[:] = [f"# {config['site_name']}", "", f"> {config['site_description']}."]
    for section in nav.items:
        _index.extend(["", f"## {section.title}", ""])
        pages = [(page.title, f"/guide/{page.file.src_uri}", _summary(page)) for page in section.children]
        _index.extend(f"- [{title}]({address}): {summary}" for title, address, summary in pages)
    return nav


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show a file of the repository that is not a page by its name; the site does not contain it."""

    def name(link: re.Match[str]) -> str:
        if not (_ROOT / link[1]).exists():
            raise FileNotFoundError(f"{page.file.src_uri} links to `{link[1]}`, which does not exist")
        return f"`{link[1]}`"

    # the console links to a kind by its type; titles may change
    return _TYPE.sub(r'<a id="\1"></a>\n\n\g<0>', _LINK_OUTSIDE.sub(name, markdown))


def on_post_page(output: str, **_: Any) -> str:
    """Move inline scripts into files: the service's content security policy forbids them."""

    def move(script: re.Match[str]) -> str:
        name = f"assets/inline.{hashlib.sha256(script[1].encode()).hexdigest()[:8]}.min.js"
        _scripts[name] = script[1]
        return f'<script src="{name}"></script>'

    return _INLINE_SCRIPT.sub(move, output)


def on_post_build(config: Any, **_: Any) -> None:
    """Write the files beside the pages, and leave out what no reader needs."""
    site = Path(config["site_dir"])
    for name, script in _scripts.items():
        (site / name).write_text(script, "utf-8")
    (site / "llms.txt").write_text("\n".join(_index) + "\n", "utf-8")
    for page in Path(config["docs_dir"]).glob("*.md"):  # llms.txt names them: a model reads no HTML
        shutil.copyfile(page, site / page.name)
    (site / "NOTICES.txt").write_text("\n\n".join(map(_licence, ("mkdocs", "mkdocs-material"))), "utf-8")
    for unused in (*site.rglob("*.map"), *site.glob("sitemap.xml*")):
        unused.unlink()
    shutil.rmtree(site / "assets/javascripts/lunr")  # for other languages


def _summary(page: Any) -> str:
    """The first sentence of a page."""
    paragraphs = Path(page.file.abs_src_path).read_text("utf-8").split("\n\n")
    first = next(text for text in paragraphs if not text.startswith(_NO_SENTENCE))
    return " ".join(_LINK.sub(r"\1", first).split()).split(". ")[0].rstrip(".:") + "."


def _licence(name: str) -> str:
    package = distribution(name)
    paths = [path for path in package.files or [] if path.match("*.dist-info/licenses/*")]
    texts = "\n".join(path.read_text("utf-8") for path in paths)
    return f"{name} {package.version}\n\n{texts}"
