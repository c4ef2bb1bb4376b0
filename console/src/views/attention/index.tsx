/** Everything that waits for a person, one card each; answering removes it everywhere. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Time } from "../../design/time";

type Item = Schemas["ExecutionSummary"];

export default function Attention() {
  const { value, problem } = useReading("attention", () => call("/executions/list", { status: "Paused", limit: 200 }), { nouns: ["execution", "attention", "login"] });
  return (
    <>
      <div class="view-head">
        <h1>Attention</h1>
      </div>
      {problem && <Empty title={problem} />}
      {value?.executions.length === 0 && (
        <Card>
          <Empty title="Nothing waits for you.">Codes, sign-ins by hand, captchas and approvals show up here.</Empty>
        </Card>
      )}
      <div class="cards">
        {value?.executions.map((one) => (
          <Waiting key={one.id} execution={one} />
        ))}
      </div>
    </>
  );
}

function Waiting({ execution }: { execution: Item }) {
  const waits = execution.authentications.find((one) => one.status === "WaitingForCode" || one.status === "WaitingForUser");
  return (
    <Card title={execution.workflow.name}>
      <p class="small muted">
        <a href={`/executions/${execution.id}`}>{execution.name ?? execution.id}</a> · since <Time iso={execution.startTime} />
      </p>
      {waits?.status === "WaitingForCode" ? <CodeForm execution={execution} /> : <ByHand execution={execution} url={waits?.liveViewUrl} />}
    </Card>
  );
}

function CodeForm({ execution }: { execution: Item }) {
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    const answer = await call("/authentication/submitTwoFactorAuthCode", { code, executionId: execution.id } as never);
    if (answer.success) notify("The site took the code.");
    else setProblem(answer.message);
    setCode("");
  };
  return (
    <form class="row code-form" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Code" value={code} onInput={setCode} inputMode="numeric" autoComplete="one-time-code" problem={problem} />
      <Button kind="primary" type="submit" disabled={code.trim().length < 4} onPress={send}>
        Send
      </Button>
    </form>
  );
}

function ByHand({ execution, url }: { execution: Item; url: string | null | undefined }) {
  return (
    <div class="row">
      {url && (
        <a class="button primary" href={url} target="_blank" rel="noreferrer">
          Open the live view
        </a>
      )}
      <Button onPress={() => call("/executions/resume", { id: execution.id })}>Resume</Button>
      <Button kind="danger" onPress={() => call("/executions/cancel", { id: execution.id })}>
        Cancel
      </Button>
    </div>
  );
}
