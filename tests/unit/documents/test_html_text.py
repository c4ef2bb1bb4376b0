"""HTML as the text that a person would see."""

import pytest

from pagehand.documents.html_text import text_of


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One<p>Two", "One\nTwo"),
        ("Dear Ada,<br>your code is <b>12</b>34", "Dear Ada,\nyour code is 1234"),
        ("<style>p{}</style><p>Seen<script>no()</script><span hidden>not</span>", "Seen"),
        ("<table><tr><td>Total<td>5 &euro;</table>", "Total\t5 €"),
        ("<script>never closed <p>hidden", ""),
        ("a &lt;b&gt; c", "a <b> c"),
        ("", ""),
    ],
)
def test_text_is_what_is_seen(html: str, text: str) -> None:
    assert text_of(html) == text
