"""Blocks that work on data and run code, with the real sandbox."""

import io
from typing import Any

import openpyxl
import pytest

from pagehand.blocks.user_code import is_javascript, json_output
from pagehand.errors import BlockFailed
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


async def output(harness: Harness, kind: str, data: Json, **more: Any) -> Any:
    run = await harness.run({"type": kind, "blockReferenceId": "it", "data": data}, **more)
    return run.outputs["it"]


@pytest.mark.parametrize(
    ("code", "given", "result"),
    [
        ("input", {"a": [1, None, "x"]}, {"a": [1, None, "x"]}),
        ("sum(input)", [1, 2], 3),
        ("input + params['n']", 1, 5),
        ("lambda input: input * 2", 4, 8),
        ("lambda input, context: context['params']['n'] + input", 1, 5),
        ("def f(value):\n    return [value]", 4, [4]),
        ("blocks['it']", 1, None),
    ],
)
async def test_transform_computes(harness: Harness, code: str, given: Any, result: Any) -> None:
    assert await output(harness, "Transform", {"input": given, "code": code}, params={"n": 4}) == result


async def test_transform_keeps_the_type_of_a_template(harness: Harness) -> None:
    data = {"input": "{{params.x}}", "code": "input"}
    assert await output(harness, "Transform", data, params={"x": ["{{params.x}}", 1.5]}) == [
        "{{params.x}}",
        1.5,
    ]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("def main(inputs):\n    return inputs['a'] + 1", 3),
        ("lambda inputs: inputs", {"a": 2}),
        ("inputs['a']", 2),
    ],
)
async def test_code_runs_python_on_its_inputs(harness: Harness, code: str, result: Any) -> None:
    assert await output(harness, "CodeV2", {"code": code, "inputs": {"a": 2}}) == result


@pytest.mark.parametrize(
    "code",
    ["1/0", "float('nan')", "def main(inputs):\n    return {'x': [float('inf')]}", "open('/etc/passwd')"],
)
async def test_code_that_fails_or_returns_no_json_fails_the_block(harness: Harness, code: str) -> None:
    with pytest.raises(BlockFailed):
        await output(harness, "CodeV2", {"code": code})


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("-inf")]}, {1: 2}, object(), [b"x"]])
def test_what_is_not_json_is_not_output(value: Any) -> None:
    with pytest.raises(BlockFailed, match="The code returned"):
        json_output(value)


@pytest.mark.parametrize(
    ("code", "javascript"),
    [
        ("x => x", True),
        ("(input, context) => input", True),
        ("async ({a, b = 2}) => { return a }", True),
        ("function (x) { return x }", True),
        ("async function f(x) {}", True),
        ("// note\n/* and */ (x) => x", True),
        ("(a = {b: 1}) =>\n a", True),
        ("lambda x: x", False),
        ("input >= 3", False),
        ("(input == 3) and '=>'", False),
        ("functional(input)", False),
        ("def f(x):\n    return x", False),
        ("[x for x in input]", False),
    ],
)
def test_the_language_is_seen_from_the_code(code: str, javascript: bool) -> None:
    assert is_javascript(code) is javascript


async def csv(harness: Harness, data: Json, **more: Any) -> str:
    run = await harness.run({"type": "Parse to CSV", "blockReferenceId": "it", "data": data}, **more)
    described = run.outputs["it"]
    assert described["mimeType"] == "text/csv"
    return (await harness.read_file(described["id"])).decode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"input": [{"a": 1, "b": None}, {"a": "x,y", "c": [1]}]}, 'a,b,c\r\n1,,\r\n"x,y",,[1]\r\n'),
        ({"input": [{"a": 1, "b": 2}], "columns": ["b"]}, "b\r\n2\r\n"),
        ({"input": [{"a": True}], "header": False}, "true\r\n"),
        ({"input": [[1, 2], [3]]}, "1,2\r\n3,\r\n"),
        ({"input": [[1, 2]], "columns": ["x", "y"], "delimiter": ";"}, "x;y\r\n1;2\r\n"),
        ({"input": [], "columns": ["x"]}, "x\r\n"),
        ({"input": []}, ""),
        ({"input": [{"é": 'say "hi"\n'}]}, 'é\r\n"say ""hi""\n"\r\n'),
    ],
)
async def test_rows_become_csv(harness: Harness, data: Json, text: str) -> None:
    assert await csv(harness, data) == text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"input": [{"a": 1}], "columns": ["b"]}, "no row has `b`; there is `a`"),
        ({"input": [{"a": 1}, [1]]}, "mixes objects and arrays"),
        ({"input": [1]}, r"data.input\[0\]"),
        ({"input": "nothing"}, "no file"),
    ],
)
async def test_what_is_not_a_table_fails(harness: Harness, data: Json, words: str) -> None:
    with pytest.raises(BlockFailed, match=words):
        await csv(harness, data)


async def test_a_delimiter_that_the_format_uses_itself_fails(harness: Harness) -> None:
    block = {"type": "ParseToCsv", "data": {"input": [[1]], "delimiter": "{{params.d}}"}}
    with pytest.raises(BlockFailed, match="cannot stand between cells"):
        await harness.run(block, params={"d": '"'})


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (
        ["name", "n", "n", None],
        ["Ann", 1.5, 2, "x"],
        [None, None, None, None],
        ["Bo", None, 3, None],
    ):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.xlsx", workbook(), "name,n,n_3,column_4\r\nAnn,1.5,2,x\r\nBo,,3,\r\n"),
        ("a.csv", "\ufeffa;b\n1;2\n".encode(), "a,b\r\n1,2\r\n"),
        ("a.csv", b"only\n1\n2\n", "only\r\n1\r\n2\r\n"),
    ],
)
async def test_a_spreadsheet_file_becomes_csv(harness: Harness, name: str, content: bytes, text: str) -> None:
    info = await harness.add_file(name, content)
    assert await csv(harness, {"input": info}) == text


@pytest.mark.parametrize("content", [b"PK not a zip", b"\xff\xfe\x00", b"PK\x03\x04"])
async def test_a_file_that_is_not_a_spreadsheet_fails(harness: Harness, content: bytes) -> None:
    info = await harness.add_file("bad.xlsx", content)
    with pytest.raises(BlockFailed, match=r"bad\.xlsx"):
        await csv(harness, {"input": info["id"]})


ORDER = {
    "type": "object",
    "properties": {"orderNo": {"type": "string"}, "total": {"type": "number"}},
    "required": ["orderNo", "total"],
}


@pytest.mark.parametrize(
    ("text", "schema", "result"),
    [
        ('{"order_no": "A-17", "Total": 12, "other": 1}', ORDER, {"orderNo": "A-17", "total": 12}),
        ("Order no: A-17\nTotal: $1,200.50", ORDER, {"orderNo": "A-17", "total": 1200.5}),
        ("Order No,Total\nA-1,5\n", ORDER, {"orderNo": "A-1", "total": 5}),
        (
            "orderNo;total\nA-1;5\nA-2;6,5",
            {"type": "array", "items": ORDER},
            [{"orderNo": "A-1", "total": 5}, {"orderNo": "A-2", "total": 6.5}],
        ),
        ("[1, 2]", {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ("{{params.order}}", ORDER, {"orderNo": "x", "total": 1}),
    ],
)
async def test_generate_reads_what_has_structure(
    harness: Harness, text: str, schema: Json, result: Any
) -> None:
    data = {"inputText": text, "prompt": "The order", "schema": schema}
    assert await output(harness, "Generate", data, params={"order": {"orderNo": "x", "total": 1}}) == result


@pytest.mark.parametrize(
    "data",
    [
        {"inputText": "Dear Sir, I'd like two of them", "prompt": "The order", "schema": ORDER},
        {"inputText": "Order no: A-17", "schema": ORDER},
        {"inputText": '{"a": 1}', "prompt": "Summarize"},
        {"inputText": "", "schema": ORDER},
    ],
)
async def test_generate_says_when_it_needs_a_model(harness: Harness, data: Json) -> None:
    with pytest.raises(BlockFailed, match="PAGEHAND_MODEL"):
        await output(harness, "Generate", data)
