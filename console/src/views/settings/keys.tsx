/** API keys: create with scopes, rotate, revoke. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { copyText } from "../../design/copy_text";
import { confirmAction, Dialog } from "../../design/dialog";
import { CheckField, TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { Time } from "../../design/time";

type Key = Schemas["Key"];
type Scope = Schemas["CreateKey"]["scopes"][number];
const SCOPES: readonly (readonly [Scope, string])[] = [
  ["read", "Read everything except secrets"],
  ["run", "Start, cancel and answer executions"],
  ["edit", "Change workflows, logins, schedules and files"],
  ["admin", "Manage keys and the organization"],
  ["metrics", "Read metrics for monitoring"],
];

export function Keys() {
  const { value, problem } = useQuery("keys", () => call("/keys/list", { limit: 1000 }), { nouns: ["key"] });
  const [isNew, setNew] = useState(false);
  const [rotated, setRotated] = useState<{ secret: string; before: Key }>();
  const rotate = async (before: Key) => {
    const { secret } = await call("/keys/create", {
      name: before.name ?? "Without a name",
      scopes: before.scopes as Scope[],
    });
    setRotated({ secret, before });
  };
  return (
    <Card
      title="API keys"
      actions={
        <Button icon="plus" onPress={() => setNew(true)}>
          New key
        </Button>
      }
    >
      {problem && <EmptyState title={problem} />}
      {value?.total === 0 && <p class="muted">No keys yet. Calls from this machine need no key; all other calls do.</p>}
      <ul class="files" aria-label="API keys">
        {value?.keys.map((one) => (
          <li key={one.id} class="row spread">
            <span>
              {one.name ?? one.id}{" "}
              <span class="small muted">{one.scopes.includes("*") ? "everything" : one.scopes.join(", ")}</span>
            </span>
            <KeyActions apiKey={one} onRotate={rotate} />
          </li>
        ))}
      </ul>
      {isNew && <NewKey onClose={() => setNew(false)} />}
      {rotated && <RotatedKey {...rotated} onClose={() => setRotated(undefined)} />}
    </Card>
  );
}

function KeyActions({ apiKey, onRotate }: { apiKey: Key; onRotate: (key: Key) => Promise<void> }) {
  const name = apiKey.name ?? apiKey.id;
  return (
    <span class="row small">
      {apiKey.revokedAt ? (
        <Badge kind="bad">Revoked</Badge>
      ) : (
        <>
          <span class="muted">
            {apiKey.lastUsedAt ? (
              <>
                used <Time iso={apiKey.lastUsedAt} />
              </>
            ) : (
              "never used"
            )}
          </span>
          <Button label={`Rotate ${name}`} onPress={() => onRotate(apiKey)}>
            Rotate
          </Button>
          <Button
            kind="danger"
            label={`Revoke ${name}`}
            onPress={async () =>
              (await confirmAction(
                "Revoke this key?",
                `Calls with “${name}” are refused within seconds.`,
                "Revoke key",
              )) && call("/keys/revoke", { id: apiKey.id })
            }
          >
            Revoke
          </Button>
        </>
      )}
    </span>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [secret, setSecret] = useState<string>();
  const create = async () => setSecret((await call("/keys/create", { name: name.trim(), scopes: [...scopes] })).secret);
  return (
    <Dialog title={secret ? "The new key" : "New key"} onClose={onClose}>
      {secret ? (
        <>
          <Secret secret={secret} />
          <div class="row dialog-actions">
            <Button kind="primary" onPress={onClose}>
              Done
            </Button>
          </div>
        </>
      ) : (
        <>
          <TextField
            label="Name"
            path="name"
            help="Who or what uses this key."
            value={name}
            onInput={setName}
            required
          />
          <fieldset class="schema-group">
            <legend>What it may do</legend>
            {SCOPES.map(([scope, help]) => (
              <CheckField
                key={scope}
                label={scope}
                help={help}
                checked={scopes.includes(scope)}
                onInput={(isOn) => setScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
              />
            ))}
          </fieldset>
          <div class="row dialog-actions">
            <Button kind="primary" disabled={!name.trim() || scopes.length === 0} onPress={create}>
              Create key
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Shows the new key; the old one works until the user revokes it. */
function RotatedKey({ secret, before, onClose }: { secret: string; before: Key; onClose: () => void }) {
  const revoke = async () => {
    await call("/keys/revoke", { id: before.id });
    onClose();
  };
  return (
    <Dialog title="The new key" onClose={onClose}>
      <Secret secret={secret} />
      <p>The old key still works. Replace it with the new one wherever it is used, then revoke it.</p>
      <div class="row dialog-actions">
        <Button onPress={onClose}>Keep both for now</Button>
        <Button kind="danger" onPress={revoke}>
          Revoke the old key
        </Button>
      </div>
    </Dialog>
  );
}

function Secret({ secret }: { secret: string }) {
  const copy = async () => {
    await copyText(secret);
    notify("Copied.");
  };
  return (
    <>
      <p>Copy it now: it is shown only once.</p>
      <code class="secret" aria-label="Key">
        {secret}
      </code>
      <div class="row">
        <Button icon="copy" onPress={copy}>
          Copy
        </Button>
      </div>
    </>
  );
}
