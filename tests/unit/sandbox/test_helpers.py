"""Functions that user code may call: what they give inside the sandbox, and that they stay within limits."""

import contextlib
import csv
import hashlib
import hmac
import io
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urljoin

import pytest

from pagehand.errors import BlockFailed
from pagehand.sandbox import AVAILABLE_MODULES, PythonSandbox
from pagehand.sandbox.program import helper_names

pytestmark = pytest.mark.anyio

ROWS = [{"name": "Ann", "note": 'says "hi", twice'}, {"name": "Bo", "note": "two\nlines"}, {"name": "Cy"}]
TEXTS = ["", "plain", "a b&c=d/e?f#g", "Zürich, 東京 🎉", "100%", "%zz%41%", "~_-.", "a+b"]
PAGES = ["https://a.example/x/y.html?q=1#f", "http://a.example", "https://u@a.example:8443/x/"]
LINKS = [
    "z",
    "/z",
    "../z",
    "../../../z",
    "./z?a=1",
    "?a=1",
    "",
    "//b.example/z",
    "http://c.example/",
    "z/.",
    "..",
]


async def test_every_expression_gives_what_the_documentation_says(sandbox: PythonSandbox) -> None:
    cases: list[tuple[str, Any]] = [
        ("csv_parse('a,b\\n1,\"x,y\"\\n')", [{"a": "1", "b": "x,y"}]),
        ("csv_parse('a;b\\n1;2', delimiter=';', header=False)", [["a", "b"], ["1", "2"]]),
        ("csv_parse('')", []),
        ("csv_write([[1, None], ['a,b', 2.5]])", '1,\r\n"a,b",2.5\r\n'),
        ("csv_write([{'a': 1, 'b': 2}], columns=['b', 'c'])", "b,c\r\n2,\r\n"),
        (
            "url_parse('HTTPS://u@A.example:8443/p/q?x=1&x=2&y=a+b%21#f')['query']",
            {"x": ["1", "2"], "y": "a b!"},
        ),
        ("url_parse('https://a.example/p').host", "a.example"),
        ("url_parse('https://[::1]:80/')['host']", "[::1]"),
        ("url_query({'q': 'a b', 'n': [1, 2], 'none': None})", "q=a%20b&n=1&n=2"),
        ("url_quote('a/b', safe='/')", "a/b"),
        ("sha256('abc')", hashlib.sha256(b"abc").hexdigest()),
        ("md5('abc')", hashlib.md5(b"abc").hexdigest()),  # noqa: S324 - compared, not relied on
        ("base64_encode('Zürich')", "WsO8cmljaA=="),
        ("base64_decode('WsO8cmljaA')", "Zürich"),
        ("date_parse('2024-01-02')", "2024-01-02"),
        ("date_parse('2 January 2024')", "2024-01-02"),
        ("date_parse('Jan 2, 2024')", "2024-01-02"),
        ("date_parse('02.01.2024')", "2024-01-02"),
        ("date_parse('02/01/2024', 'DD/MM/YYYY')", "2024-01-02"),
        ("date_parse('2024-01-02T03:04:05Z')", "2024-01-02T03:04:05+00:00"),
        ("date_parse('02.01.24 03:04', 'DD.MM.YY HH:mm')", "2024-01-02T03:04:00"),
        ("date_format('2024-01-02', 'dddd, DD MMMM YYYY')", "Tuesday, 02 January 2024"),
        ("date_format('2024-01-02', '%d/%m')", "02/01"),
        ("date_add('2024-01-31', months=1)", "2024-02-29"),
        ("date_add('2023-11-30', months=-9, days=1)", "2023-03-01"),
        ("date_add('2024-02-29', years=1)", "2025-02-28"),
        ("date_add('2024-01-01', hours=36)", "2024-01-02T12:00:00"),
        ("date_diff('2024-01-01', '2024-03-01')", 60.0),
        ("date_diff('2024-01-01T00:00:00Z', '2024-01-01T06:00:00+02:00', 'hours')", 4.0),
        ("date_diff('2024-01-01', '2024-01-02T00:00:00Z')", 1.0),
        ("regex_test('^a+$', 'aaa')", True),
        ("regex_find('(\\\\d+)-(\\\\d+)', 'no 12-34')", ["12", "34"]),
        ("regex_find('(?P<no>\\\\d+)', 'no 12')", {"no": "12"}),
        ("regex_find('x', 'y')", None),
        ("regex_find_all('\\\\d+', 'a1b22')", ["1", "22"]),
        ("regex_replace('\\\\s+', 'a  b', ' ')", "a b"),
        ("regex_replace('\\\\d+', 'a1b22', lambda number: int(number) * 2)", "a2b44"),
    ]
    for expression, expected in cases:
        assert await sandbox.evaluate(expression, {}) == expected, expression
    used = " ".join(expression for expression, _ in cases)
    tested_below = {"hmac_sha256", "url_join", "url_unquote"}
    assert {name for name in helper_names() if f"{name}(" not in used} == tested_below


async def test_csv_is_written_and_read_as_the_standard_library_does(sandbox: PythonSandbox) -> None:
    written = await sandbox.evaluate("csv_write(rows)", {"rows": ROWS})
    assert list(csv.DictReader(io.StringIO(written, newline=""))) == [*ROWS[:2], {"name": "Cy", "note": ""}]
    parsed = await sandbox.evaluate("csv_parse(text)", {"text": written})
    assert parsed == [*ROWS[:2], {"name": "Cy", "note": ""}]


async def test_addresses_are_quoted_and_read_as_the_standard_library_does(sandbox: PythonSandbox) -> None:
    quoted = await sandbox.evaluate("[url_quote(t) for t in texts]", {"texts": TEXTS})
    assert quoted == [quote(text, safe="") for text in TEXTS]
    back = await sandbox.evaluate("[url_unquote(t) for t in texts]", {"texts": [*quoted, *TEXTS]})
    assert back == [unquote(text) for text in [*quoted, *TEXTS]]
    query = await sandbox.evaluate("url_query({'q': texts})", {"texts": TEXTS})
    assert parse_qs(query, keep_blank_values=True) == {"q": TEXTS}


async def test_links_lead_where_the_standard_library_says(sandbox: PythonSandbox) -> None:
    code = "[url_join(page, link) for page in pages for link in links]"
    joined = await sandbox.evaluate(code, {"pages": PAGES, "links": LINKS})
    assert joined == [urljoin(page, link) for page in PAGES for link in LINKS]


@pytest.mark.parametrize("key", ["", "k", "Schlüssel", "x" * 200])
async def test_a_keyed_hash_is_the_standard_one(sandbox: PythonSandbox, key: str) -> None:
    expected = hmac.new(key.encode(), "téxt".encode(), "sha256").hexdigest()
    assert await sandbox.evaluate("hmac_sha256(key, 'téxt')", {"key": key}) == expected


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("x = 1\ny = date_parse('02/01/2024')", "in line 2: ValueError: `02/01/2024` is not a date"),
        (
            "def main(inputs):\n    n = 1\n    return date_diff('2024-01-01', '2024-01-02', 'moons')",
            "in line 3",
        ),
        ("url_join('a', 'b')", "in line 1: ValueError: `a` is not a whole address"),
        ("regex_find('(', 'a')", "in line 1"),
        ("import urllib.parse\n1", "Line 1: module `urllib.parse` is not available"),
        ("import urllib.parse\n1", "Without an import there is `url_parse`"),
        ("import hmac\n1", "`hmac_sha256`"),
    ],
)
async def test_a_mistake_is_shown_in_the_users_own_line(
    sandbox: PythonSandbox, code: str, sentence: str
) -> None:
    with pytest.raises(BlockFailed) as failure:
        await sandbox.call(f"{code}\n1", [{}], {})
    assert sentence in failure.value.message


async def test_what_the_code_names_itself_comes_before_a_helper(sandbox: PythonSandbox) -> None:
    assert await sandbox.call("def md5(text):\n    return 'mine'\n[md5('a')]", [], {}) == ["mine"]
    assert await sandbox.evaluate("sha256", {"sha256": "a parameter"}) == "a parameter"
    assert await sandbox.call("lambda md5: md5", ["argument"], {}) == "argument"


async def test_helpers_cannot_be_reached_behind(sandbox: PythonSandbox) -> None:
    for code in ("_pagehand_re", "_pagehand_cell(1, 2)", "md5.__globals__", "csv_parse.__code__"):
        with pytest.raises(BlockFailed):
            await sandbox.evaluate(code, {})


HEAVY = [
    "regex_test('(a+)+$', 'a' * 40 + 'b')",
    "regex_find_all('(x+x+)+y', 'x' * 5000)",
    "regex_replace('(a|aa)+$', 'a' * 60 + 'b', 'c')",
    "csv_parse('a,' * 3000000)",
    "csv_write([list(range(100000))] * 10000)",
    "url_quote('ü' * 10000000)",
    "url_unquote('%' * 10000000)",
    "url_join('http://a/', '../' * 3000000)",
    "url_parse('http://a/?' + 'a=1&' * 3000000)",
    "date_format('2024-01-01', 'YYYY' * 1000000)",
    "date_add('2024-01-01', years=10 ** 12)",
    "date_add('2024-01-01', days=10 ** 30)",
    "base64_decode('A' * 100000000)",
    "hmac_sha256('k' * 100000000, 'x')",
]


@pytest.mark.parametrize("code", HEAVY, ids=range(len(HEAVY)))
async def test_no_helper_outlasts_the_limits(sandbox: PythonSandbox, code: str) -> None:
    began = time.monotonic()
    with contextlib.suppress(BlockFailed):
        await sandbox.evaluate(f"len(str({code}))", {})
    assert time.monotonic() - began < 5
    assert await sandbox.evaluate("1 + 1", {}) == 2


async def test_a_program_that_calls_no_helper_carries_none(sandbox: PythonSandbox) -> None:
    assert await sandbox.evaluate("'csv_parse'.upper()", {}) == "CSV_PARSE"
    with pytest.raises(BlockFailed, match="NameError"):
        await sandbox.evaluate("csv_pars('a')", {})


def test_every_helper_and_module_is_in_the_code_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "code.md").read_text()
    assert [name for name in helper_names() if f"`{name}(" not in page] == []
    assert [name for name in AVAILABLE_MODULES if name not in page] == []
