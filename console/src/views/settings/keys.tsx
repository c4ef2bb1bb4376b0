/** API keys: made with scopes and shown once, rotated, taken back. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask, Dialog } from "../../design/dialog";
import { CheckField, TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { Time } from "../../design/time";

type Key = Schemas["Key"];
type Scope = Schemas["CreateKey"]["scopes"][number];
const SCOPES: readonly (readonly [Scope, string])[] = [
  ["read", "Look at everything but secrets"],
  ["run", "Start, cancel and answer executions"],
  ["edit", "Change workflows, logins, schedules and files"],
  ["admin", "Keys and the organization"],
  ["metrics", "Read the figures for monitoring"],
];

export function Keys() {
  const { value, problem } = useReading("keys", () => call("/keys/list", { limit: 1000 }), { nouns: ["key"] });
  const [isNew, setNew] = useState(false);
  const [rotated, setRotated] = useState<{ secret: string; before: Key }>();
  const rotate = async (before: Key) => {
    const { secret } = await call("/keys/create", { name: before.name ?? "Without a name", scopes: before.scopes as Scope[] });
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
      {problem && <Empty title={problem} />}
      {value?.total === 0 && <p class="muted">No keys yet. On this machine nobody needs one; from elsewhere every caller does.</p>}
      <ul class="files" aria-label="API keys">
        {value?.keys.map((one) => (
          <li key={one.id} class="row spread">
            <span>
              {one.name ?? one.id} <span class="small muted">{one.scopes.includes("*") ? "everything" : one.scopes.join(", ")}</span>
            </span>
            <KeyTools one={one} onRotate={rotate} />
          </li>
        ))}
      </ul>
      {isNew && <NewKey onClose={() => setNew(false)} />}
      {rotated && <RotatedKey {...rotated} onClose={() => setRotated(undefined)} />}
    </Card>
  );
}

function KeyTools({ one, onRotate }: { one: Key; onRotate: (key: Key) => Promise<void> }) {
  const name = one.name ?? one.id;
  return (
    <span class="row small">
      {one.revokedAt ? (
        <Badge kind="bad">Revoked</Badge>
      ) : (
        <>
          <span class="muted">{one.lastUsedAt ? <>used <Time iso={one.lastUsedAt} /></> : "never used"}</span>
          <Button label={`Rotate ${name}`} onPress={() => onRotate(one)}>
            Rotate
          </Button>
          <Button kind="danger" label={`Revoke ${name}`} onPress={async () => (await ask("Revoke this key", `Whoever uses “${name}” is refused within seconds.`, "Revoke it")) && call("/keys/revoke", { id: one.id })}>
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
  const make = async () => setSecret((await call("/keys/create", { name: name.trim(), scopes: [...scopes] })).secret);
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
          <TextField label="Name" help="What or who uses it." value={name} onInput={setName} required />
          <fieldset class="schema-group">
            <legend>What it may do</legend>
            {SCOPES.map(([scope, help]) => (
              <CheckField key={scope} label={scope} help={help} checked={scopes.includes(scope)} onInput={(isOn) => setScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))} />
            ))}
          </fieldset>
          <div class="row dialog-actions">
            <Button kind="primary" disabled={!name.trim() || scopes.length === 0} onPress={make}>
              Make the key
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** The old key works until somebody says that the new one is in place. */
function RotatedKey({ secret, before, onClose }: { secret: string; before: Key; onClose: () => void }) {
  const revoke = async () => {
    await call("/keys/revoke", { id: before.id });
    onClose();
  };
  return (
    <Dialog title="The new key" onClose={onClose}>
      <Secret secret={secret} />
      <p>The old key still works. Put the new one in its place, then revoke the old one.</p>
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
    await navigator.clipboard.writeText(secret);
    notify("Copied.");
  };
  return (
    <>
      <p>It is shown this once: only a digest of it is kept.</p>
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
