/** Webhooks and their deliveries. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { confirmAction, Dialog } from "../../design/dialog";
import { CheckField, TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";

type Webhook = Schemas["Webhook"];
type Delivery = Schemas["Delivery"];
const EVENTS = [
  "execution.started",
  "execution.completed",
  "execution.failed",
  "execution.paused",
  "authentication.waiting",
  "batch.finished",
  "execution.healed",
  "schedule.missed",
] as const;
type EventName = (typeof EVENTS)[number];
const KIND = { delivered: "good", failed: "bad", pending: "busy", unsent: "bad" } as const;

export default function Webhooks() {
  const { value, problem } = useQuery("webhooks", () => call("/webhooks/list", {}), {
    nouns: ["webhook", "execution"],
  });
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
          New webhook
        </Button>
      </div>
      <ListState isLoaded={value !== undefined} problem={problem} />
      {value?.total === 0 && (
        <Card>
          <EmptyState title="No webhooks yet.">
            A webhook notifies your systems when an execution finishes or waits for a person.
          </EmptyState>
        </Card>
      )}
      <div class="stack">
        {value?.webhooks.map((one) => (
          <WebhookCard key={one.id} webhook={one} after={value} />
        ))}
      </div>
      {isNew && <NewWebhook onClose={() => setNew(false)} />}
    </>
  );
}

function WebhookCard({ webhook, after }: { webhook: Webhook; after: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const deleteWebhook = async () => {
    if (
      await confirmAction(
        "Delete this webhook?",
        "Its delivery log and pending deliveries are deleted too.",
        "Delete webhook",
      )
    )
      await call("/webhooks/delete", { id: webhook.id });
  };
  return (
    <Card
      title={webhook.name ?? webhook.url}
      actions={<Badge kind={webhook.isActive ? "good" : "idle"}>{webhook.isActive ? "On" : "Off"}</Badge>}
    >
      <p class="small muted clip">{webhook.url}</p>
      <p class="small">{webhook.events.join(", ")}</p>
      <div class="row card-actions">
        <Button expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          Deliveries
        </Button>
        <Button needs="edit" onPress={() => sendTest(webhook.id)}>
          Test
        </Button>
        <Button needs="edit" onPress={() => call("/webhooks/update", { id: webhook.id, isActive: !webhook.isActive })}>
          {webhook.isActive ? "Switch off" : "Switch on"}
        </Button>
        <Button
          needs="edit"
          kind="quiet"
          icon="trash"
          label={`Delete ${webhook.name ?? webhook.url}`}
          onPress={deleteWebhook}
        />
      </div>
      {isOpen && <Deliveries id={webhook.id} after={after} />}
    </Card>
  );
}

function Deliveries({ id, after }: { id: string; after: unknown }) {
  const { value, problem, refetch } = useQuery(
    `deliveries ${id}`,
    () => call("/webhooks/deliveries", { id, limit: 200 }),
    { after },
  );
  if (problem) return <EmptyState title={problem} />;
  if (value?.total === 0) return <EmptyState title="Nothing has been sent yet." />;
  const columns: Column<Delivery>[] = [
    {
      name: "Status",
      cell: (one) => <Badge kind={KIND[one.status]}>{one.status === "unsent" ? "not sent" : one.status}</Badge>,
      width: 110,
    },
    { name: "Event", cell: (one) => one.event },
    { name: "At", cell: (one) => <Time iso={one.lastAttemptAt ?? one.createdAt} />, width: 130, minor: true },
    { name: "Answer", cell: (one) => one.error ?? one.responseStatus ?? "", minor: true },
    {
      name: "Again",
      cell: (one) => (
        <Button
          needs="edit"
          kind="quiet"
          onPress={() => call("/webhooks/redeliver", { id, deliveryId: one.id }).then(refetch)}
        >
          Send again
        </Button>
      ),
      width: 130,
    },
  ];
  return <Table label="Deliveries" rows={value?.deliveries ?? []} columns={columns} keyOf={(one) => one.id} />;
}

async function sendTest(id: string): Promise<void> {
  const { delivery } = await call("/webhooks/test", { id });
  notify(
    delivery.status === "delivered"
      ? "The test was delivered."
      : `The test was not delivered: ${delivery.error ?? delivery.responseStatus ?? ""}`,
    delivery.status === "delivered" ? "good" : "bad",
  );
}

function NewWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [events, setEvents] = useState<ReadonlySet<EventName>>(new Set(["execution.failed"]));
  const [secret, setSecret] = useState<string>();
  const create = async () => {
    const answer = await call("/webhooks/create", { url, events: [...events], ...(name ? { name } : {}) });
    setSecret(answer.secret);
  };
  if (secret) {
    return (
      <Dialog title="The webhook's secret" onClose={onClose}>
        <p>It signs every delivery. Copy it now: it is shown only once.</p>
        <code class="secret">{secret}</code>
      </Dialog>
    );
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <TextField label="URL" path="url" type="url" value={url} onInput={setUrl} required />
      <TextField label="Name" path="name" value={name} onInput={setName} />
      <fieldset class="schema-group">
        <legend>Events</legend>
        {EVENTS.map((one) => (
          <CheckField
            key={one}
            label={one}
            checked={events.has(one)}
            onInput={(isOn) =>
              setEvents(new Set(isOn ? [...events, one] : [...events].filter((other) => other !== one)))
            }
          />
        ))}
      </fieldset>
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!url || events.size === 0} onPress={create}>
          Create webhook
        </Button>
      </div>
    </Dialog>
  );
}
