/** Alerts by mail: who gets them, and when; kept as a webhook of the format `mail`. */
import { useState } from "preact/hooks";
import { call, errorMessage, type Schemas } from "../../api/client";
import { hasScope } from "../../app/session";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { CheckField, TextField } from "../../design/field";
import { Form } from "../../design/form";
import { notify } from "../../design/notice";

type EventName = Schemas["CreateWebhook"]["events"][number];
const PREFIX = "mailto:";
const EVENTS: readonly (readonly [EventName, string])[] = [
  ["execution.failed", "An execution failed"],
  ["execution.healed", "A page has changed, and its elements were found again"],
  ["execution.paused", "An execution waits for a person"],
  ["schedule.missed", "A schedule did not start"],
];

export function Alerts() {
  const { value, problem } = useQuery("alerts", () => call("/webhooks/list", { limit: 100 }), { nouns: ["webhook"] });
  const webhook = value?.webhooks.find((one) => one.format === "mail");
  return (
    <Card title="Alerts by mail">
      {problem && <EmptyState title={problem} />}
      {value && <AlertForm key={webhook?.id} webhook={webhook} />}
    </Card>
  );
}

function AlertForm({ webhook }: { webhook: Schemas["Webhook"] | undefined }) {
  const [to, setTo] = useState(webhook?.url.slice(PREFIX.length) ?? "");
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? EVENTS.map(([name]) => name));
  const save = async () => {
    const url = PREFIX + to.replace(/[\s;,]+/g, ",").replace(/^,|,$/g, "");
    const fields = { url, events: events as EventName[] };
    try {
      if (!to.trim()) {
        if (webhook) await call("/webhooks/delete", { id: webhook.id });
      } else if (webhook) await call("/webhooks/update", { id: webhook.id, ...fields, isActive: true });
      else await call("/webhooks/create", { ...fields, name: "Alerts by mail", format: "mail" });
    } catch (error) {
      throw new Error(errorMessage(error).replaceAll(PREFIX, "")); // nobody has typed it
    }
    notify("Saved.");
  };
  return (
    <Form label="Alerts by mail">
      <TextField
        label="Send to"
        path="url"
        placeholder="ann@example.com, bob@example.com"
        value={to}
        onInput={setTo}
        help="Addresses with commas between. Save an empty field to send nothing. Many alerts of one workflow are sent as one mail every ten minutes."
      />
      <fieldset class="schema-group">
        <legend>When</legend>
        {EVENTS.map(([name, label]) => (
          <CheckField
            key={name}
            label={label}
            checked={events.includes(name)}
            onInput={(isOn) => setEvents(isOn ? [...events, name] : events.filter((other) => other !== name))}
          />
        ))}
      </fieldset>
      {hasScope("edit") && (
        <div class="row">
          <Button type="submit" disabled={events.length === 0} onPress={save}>
            Save alerts
          </Button>
          {webhook && <Button onPress={() => sendTest(webhook.id)}>Send a test mail</Button>}
        </div>
      )}
    </Form>
  );
}

async function sendTest(id: string): Promise<void> {
  const { delivery } = await call("/webhooks/test", { id });
  const isSent = delivery.status === "delivered";
  notify(isSent ? "The test mail was sent." : `Not sent: ${delivery.error ?? ""}`, isSent ? "good" : "bad");
}
