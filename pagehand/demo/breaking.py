"""`Break the portal`: the same pages as they would be after a redesign.

Ids, classes, words, the order of links and columns, and the nesting change; what a person sees and does stays
the same. It changes the finished HTML, so that the pages need not know about it.
"""

import re
from typing import Final

_WORDS: Final = {
    "Download letter": "Get the letter (PDF)",
    ">Next<": ">Next page<",
    ">Previous<": ">Page before<",
    "Submit claim": "Send claim",
    ">New claim<": ">File a claim<",
    ">Apply<": ">Show<",
    "Sign out": "Log out",
    '<button class="primary wide" type="submit">Sign in': '<button class="primary wide" type="submit">Log in',
    "User name": "User ID",
}
_NAVIGATION: Final = re.compile(r'(<nav aria-label="Main">)(<a .*?</a>)(<a .*?</a>)(</nav>)')
_STATUS_HEADER: Final = re.compile(
    r'(<th scope="col">Claim</th>)(.*?)(<th scope="col">Status</th>)', re.DOTALL
)
_STATUS_CELL: Final = re.compile(
    r'(<tr><th scope="row">.*?</th>)(.*?)(<td><span class="status[^>]*>[^<]*</span></td>)(</tr>)', re.DOTALL
)
_MAIN: Final = re.compile(r"(<main [^>]*>)(.*)(</main>)", re.DOTALL)
_BUTTON: Final = re.compile(r'<a class="button[^>]*>[^<]*</a>')
_ID: Final = re.compile(r'\b(id|for|aria-labelledby)="([\w-]+)"')
_FRAGMENT: Final = re.compile(r'href="#([\w-]+)"')
_CLASS: Final = re.compile(r'\bclass="([^"]*)"')
_STYLE_CLASS: Final = re.compile(r"\.([a-z][\w-]*)")


def broken_page(html: str) -> str:
    """The page after the redesign."""
    for before, after in _WORDS.items():
        html = html.replace(before, after)
    html = _NAVIGATION.sub(r"\1\3\2\4", html)
    html = _STATUS_HEADER.sub(r"\1\3\2", html)
    html = _STATUS_CELL.sub(r"\1\3\2\4", html)
    html = _MAIN.sub(r"\1<div><section><div>\2</div></section></div>\3", html)
    html = _BUTTON.sub(r'<span class="wrap">\g<0></span>', html)
    # last: the patterns above match the old names
    html = _ID.sub(lambda found: f'{found[1]}="{_renamed(found[2])}"', html)
    html = _FRAGMENT.sub(lambda found: f'href="#{_renamed(found[1])}"', html)
    return _CLASS.sub(lambda found: f'class="{" ".join(map(_renamed, found[1].split()))}"', html)


def broken_style(css: str) -> str:
    """The style sheet with the same new names, so that the pages look as before."""
    return _STYLE_CLASS.sub(lambda found: f".{_renamed(found[1])}", css)


def _renamed(name: str) -> str:
    """Another name for an id or a class, always the same one."""
    # derived from the name, so that the style sheet and all pages agree
    return f"nw-{sum(map(ord, name)) * 7919 % 46_656:x}-{len(name)}{name[-1]}"
