/** Everything that waits for a person, one card each; answering removes it everywhere. */
import { call, type Schemas } from "../../api/client";
import { ATTENTION_NOUNS } from "../../app/attention_count";
import { useReading } from "../../app/reading";
import { Card, Empty } from "../../design/card";
import { Prose } from "../../design/prose";
import { Badge } from "../../design/status";
import { Time } from "../../design/time";
import { Answer } from "./answers";

export type Item = Schemas["AttentionItem"];

const TITLE: Record<Item["kind"], string> = {
  code: "A code is needed",
  signIn: "Sign in by hand",
  person: "A person is needed",
  approval: "Approve this?",
  request: "Paused on request",
  login: "A login fails",
  proposal: "A change is proposed",
};

export default function Attention() {
  const { value, problem } = useReading("attention", () => call("/attention/list", { limit: 200 }), { nouns: ATTENTION_NOUNS });
  return (
    <>
      <div class="view-head">
        <h1>Attention</h1>
        {value && value.total > 0 && (
          <span class="muted" role="status">
            {value.total === 1 ? "1 thing waits" : `${value.total} things wait`}
          </span>
        )}
      </div>
      {problem && <Empty title={problem} />}
      {value?.total === 0 && (
        <Card>
          <Empty title="Nothing waits for you.">Codes, sign-ins by hand, captchas, approvals, failing logins and proposed changes show up here.</Empty>
        </Card>
      )}
      <ul class="attention" aria-label="What waits">
        {value?.items.map((one) => (
          <li key={one.id}>
            <Waiting item={one} />
          </li>
        ))}
      </ul>
      {value && value.total > value.items.length && <p class="muted">{`${value.total - value.items.length} more wait; they show up as these are answered.`}</p>}
    </>
  );
}

function Waiting({ item }: { item: Item }) {
  return (
    <Card
      title={TITLE[item.kind]}
      actions={
        <span class="small muted">
          <Time iso={item.since} />
        </span>
      }
    >
      <p class="row small">
        {item.workflow && <a href={`/workflows/${item.workflow.id}`}>{item.workflow.name}</a>}
        {item.execution && <a href={`/executions/${item.execution.id}`}>{item.execution.name || "This execution"}</a>}
        {item.login && <Badge>{item.login.name}</Badge>}
      </p>
      <p class="attention-reason">
        <Prose text={item.reason} />
      </p>
      <Answer item={item} />
    </Card>
  );
}
