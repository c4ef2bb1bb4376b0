"""A secret that a page draws again, elsewhere or in another kind of field: pictures do not show it."""

import pytest

from pagehand.browser import BrowserSession
from support.site import Site

pytestmark = pytest.mark.anyio
SHOWN = """() => {
  const roots = [document], shown = [];
  for (const root of roots) for (const el of root.querySelectorAll('*')) {
    if (el.shadowRoot) roots.push(el.shadowRoot);
    if (el.contentDocument) roots.push(el.contentDocument);
    if (el.value !== 'S3cret' || el.type === 'password') continue;
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    if (style.webkitTextSecurity !== 'disc') shown.push(el.outerHTML);
  }
  return shown;
}"""
"""The fields that a picture would show with the secret readable."""
FIELD = "<div id=place><input id=f type=password name=pin value=S3cret></div>"
PLAIN = FIELD.replace(" type=password", "")
NAMELESS = "<div id=place><input value=S3cret></div>"
COMPONENT = """<div id=place></div><script>
function draw(type) {
  const host = document.createElement('x-field');
  host.attachShadow({mode: 'open'}).innerHTML = `<input name=pin type=${type} value=S3cret>`;
  place.replaceChildren(host);
}
draw('password');
</script>"""
LATE_COMPONENT = """<div id=place><x-late></x-late></div><script>
const make = () => customElements.define('x-late', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: 'open'}).innerHTML = '<input name=pin type=password value=S3cret>';
  }
});
</script>"""
DECLARED = """<div id=place><p><template shadowrootmode=open>
<input name=pin type=password value=S3cret></template></p></div>"""
REVEAL_INSIDE = "place.firstElementChild.shadowRoot.querySelector('input').type = 'text'"
FRAME = "const frame = document.createElement('iframe'); place.replaceChildren(frame)"
OPENED = f"{FRAME}; const made = frame.contentDocument; made.open()"
LOADED = "await new Promise((done) => frame.onload = done)"
REVEAL_WRITTEN = "made.querySelector('input').type = 'text'"
BARE = "one.type = 'text'; one.removeAttribute('style')"
REDRAWN = {
    "turned into text": (FIELD, False, "f.type = 'text'"),
    "drawn again as text": (FIELD, True, f"place.innerHTML = `{PLAIN}`"),
    "drawn again without a name": (NAMELESS, True, f"place.innerHTML = `{NAMELESS}`"),
    "copied": (PLAIN, True, "place.append(f.cloneNode(true))"),
    "styled by the page": (PLAIN, True, "f.style.cssText = '-webkit-text-security: none !important'"),
    "without style and mark": (
        PLAIN,
        True,
        "for (const name of f.getAttributeNames()) if (/style|data/.test(name)) f.removeAttribute(name)",
    ),
    "in a shadow root, turned into text": (COMPONENT, False, REVEAL_INSIDE),
    "in a shadow root, drawn again": (COMPONENT, True, "draw('text')"),
    "in a component that is defined late": (LATE_COMPONENT, False, f"make(); {REVEAL_INSIDE}"),
    "in a declared shadow root": (DECLARED, False, REVEAL_INSIDE),
    "moved into a new shadow root": (
        FIELD,
        True,
        f"const one = f, root = place.attachShadow({{mode: 'open'}}); root.append(one); {BARE}",
    ),
    "moved into a frame": (
        FIELD,
        True,
        f"const one = f; {FRAME}; frame.contentDocument.body.append(one); {BARE}",
    ),
    "written into a frame": (PLAIN, True, f"{OPENED}; made.write(`{PLAIN}`); made.close()"),
    "revealed in a frame that was written": (
        FIELD,
        False,
        f"{OPENED}; made.write(`{FIELD}`); made.close(); await soon(); {REVEAL_WRITTEN}",
    ),
    "in the page of a frame": (
        PLAIN,
        True,
        f"{FRAME}; frame.src = '/inner'; {LOADED}",
    ),
    "revealed in the page of a frame": (
        PLAIN,
        True,
        f"{FRAME}; frame.src = '/later'; {LOADED}; const made = frame.contentDocument; {REVEAL_WRITTEN}",
    ),
    "in a frame's own text": (
        PLAIN,
        True,
        f"{FRAME}; frame.srcdoc = `{PLAIN}`; {LOADED}",
    ),
    "shown in a second field": (
        f"{FIELD}<input id=second>",
        True,
        "document.onclick = () => { second.value = f.value; f.hidden = true }; f.click(); await soon()",
    ),
}


@pytest.mark.parametrize("how", REDRAWN)
async def test_no_picture_shows_a_secret_that_the_page_draws_anew(
    session: BrowserSession, site: Site, how: str
) -> None:
    page, is_typed, change = REDRAWN[how]
    site.page("/inner", PLAIN)
    site.page("/later", FIELD)
    await session.goto(site.page("/", page))
    if is_typed:
        # Playwright's own selectors find it in a shadow root, too
        field = await session.page.locator("input").first.element_handle()
        await session.hold_secret(field, "S3cret")
    # the next frame is what a picture shows
    await session.page.evaluate(
        f"async () => {{ const soon = () => new Promise(requestAnimationFrame); {change} }}"
    )
    assert await session.page.evaluate(SHOWN) == []
