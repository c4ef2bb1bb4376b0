"""The TypeScript client, compiled strictly and run by Node.js against a running service."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.console import run_build
from support.service import RunningService

ROOT = Path(__file__).parents[2]
PROGRAM = """
import { createServer } from "node:http";
import { ApiError, ExecutionFailed, Pagehand } from "./index.js";

const [url, key] = process.argv.slice(2);
const client = new Pagehand(url, key);
const seen = {};

await client.workflowsCreate({ name: "Rows", blocks: [
  { type: "Transform", blockReferenceId: "rows", data: { input: [{ n: "{{params.n}}" }], code: "input" } },
  { type: "ParseToCsv", data: { input: "{{blocks.rows}}", fileName: "rows.csv" } },
]});
await client.workflowsCreate({ name: "Fails", blocks: [
  { type: "FailOnCondition", blockReferenceId: "stop", data: { condition: "True", message: "No." } },
]});
const done = await client.run("Rows", { n: 17 });
seen.response = done.response.rows;
const { files } = await client.filesList({ executionId: done.id, search: "rows.csv" });
seen.csv = await (await client.download(files[0])).text();
seen.evidence = (await (await client.executionsEvidence({ id: done.id })).text()).slice(0, 2);
const started = await client.start("Rows", { n: 1 });
seen.followed = [];
for await (const event of client.follow(started.id)) seen.followed.push(event.seq);
seen.events = (await client.executionsEvents({ id: started.id })).events.map((event) => event.seq);
seen.waited = (await client.wait(started.id)).status;
seen.uploaded = (await client.upload("a.txt", new Blob(["hello"]))).name;
await client.run("Fails").catch((error) => {
  const { failure, analysis } = error;
  seen.failed = [error instanceof ExecutionFailed, failure.blockReferenceId, analysis.includes("No.")];
});

// a busy service, then a lost answer
const keys = [];
const answers = [[429, "0"], [503, "0"], null, [200, "0"]];
const busy = createServer((request, response) => {
  keys.push(request.headers["idempotency-key"]);
  request.resume().on("end", () => {
    const answer = answers.shift();
    if (!answer) return request.socket.destroy();
    response.writeHead(answer[0], { "Retry-After": answer[1] });
    response.end(JSON.stringify({ execution: { id: "exec_1", status: "InProgress" } }));
  });
});
await new Promise((resolve) => busy.listen(0, "127.0.0.1", resolve));
seen.again = (await new Pagehand(`http://127.0.0.1:${busy.address().port}`).start("Rows")).id;
seen.keys = [keys.length, new Set(keys).size, typeof keys[0]];
busy.close();
busy.closeAllConnections();

// every operation, by its example
const { paths } = await (await fetch(`${url}/openapi.json`)).json();
seen.refused = {};
seen.operations = 0;
for (const [path, { post }] of Object.entries(paths)) {
  if (!post || path === "/keys/revoke") continue;
  seen.operations += 1;
  await client[post.operationId](post.requestBody.content["application/json"].example).catch((error) => {
    if (!(error instanceof ApiError)) throw error;
    seen.refused[path] = `${error.status} ${error.message}`;
  });
}
console.log(JSON.stringify(seen));
"""


@pytest.fixture(scope="module")
def seen(service: RunningService, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("typescript")
    run_build("--client", str(folder))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "program.js").write_text(PROGRAM)
    run = "import sys; sys.path[:0] = ['scripts']; import build_console as b; b.run_node(*sys.argv[1:])"
    command = [
        sys.executable,
        "-c",
        run,
        str(folder / "program.js"),
        service.url,
        service.new_key("typescript"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_runs_give_responses_files_and_events(seen: dict[str, Any]) -> None:
    assert seen["response"] == [{"n": 17}]
    assert seen["csv"] == "n\r\n17\r\n"
    assert seen["evidence"] == "PK"
    assert seen["followed"] == seen["events"] != []
    assert seen["waited"] == "Completed"
    assert seen["uploaded"] == "a.txt"
    assert seen["failed"] == [True, "stop", True]


@pytest.mark.slow
def test_a_busy_service_is_asked_again_with_the_same_key(seen: dict[str, Any]) -> None:
    assert seen["again"] == "exec_1"
    assert seen["keys"] == [4, 1, "string"]


@pytest.mark.slow
def test_every_operation_has_a_method_that_is_understood(seen: dict[str, Any]) -> None:
    assert seen["operations"] > 90
    odd = {path: answer for path, answer in seen["refused"].items() if not answer.startswith("404")}
    assert all("PAGEHAND_MODEL" in answer for answer in odd.values()), odd
