/** Everything that waits for a person, one card each. An answer removes the card in all open consoles. */
import { call, type Schemas } from "../../api/client";
import { ATTENTION_NOUNS } from "../../app/attention_count";
import { useQuery } from "../../app/use_query";
import { Card, EmptyState, ListState } from "../../design/card";
import { formatCount } from "../../design/format";
import { Badge } from "../../design/status";
import { TextWithCode } from "../../design/text_with_code";
import { Time } from "../../design/time";
import { Answer } from "./answers";

export type Item = Schemas["AttentionItem"];

const TITLES: Record<Item["kind"], string> = {
  code: "A code is needed",
  signIn: "Sign in by hand",
  person: "A person is needed",
  approval: "Approve this?",
  request: "Paused on request",
  login: "A login keeps failing",
  proposal: "A change is proposed",
};

export default function Attention() {
  const { value, problem } = useQuery("attention", () => call("/attention/list", { limit: 200 }), {
    nouns: ATTENTION_NOUNS,
  });
  return (
    <>
      <div class="view-head">
        <h1>Attention</h1>
        {value && value.total > 0 && (
          <span class="muted" role="status">
            {`${formatCount(value.total, "item")} waiting`}
          </span>
        )}
      </div>
      <ListState isLoaded={value !== undefined} problem={problem} />
      {value?.total === 0 && (
        <Card>
          <EmptyState title="Nothing is waiting for you.">
            Codes, sign-ins by hand, captchas, approvals, failing logins and proposed changes appear here.
          </EmptyState>
        </Card>
      )}
      <ul class="attention" aria-label="Waiting items">
        {value?.items.map((one) => (
          <li key={one.id}>
            <AttentionCard item={one} />
          </li>
        ))}
      </ul>
      {value && value.total > value.items.length && (
        <p class="muted">{`${value.total - value.items.length} more appear here when you have answered these.`}</p>
      )}
    </>
  );
}

function AttentionCard({ item }: { item: Item }) {
  return (
    <Card
      title={TITLES[item.kind]}
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
        <TextWithCode text={item.reason} />
      </p>
      <Answer item={item} />
    </Card>
  );
}
