/** Stored logins and how they fare; a secret goes in and is never shown. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { ask, Dialog } from "../../design/dialog";
import { CheckField, SelectField, TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { Time } from "../../design/time";

type Login = Schemas["Login"];

export default function Logins() {
  const { value, problem } = useReading("logins", () => call("/logins/list", {}), { nouns: ["login", "execution"] });
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="view-head">
        <h1>Logins</h1>
        <Button kind="primary" icon="plus" onPress={() => setNew(true)}>
          New login
        </Button>
      </div>
      {problem && <Empty title={problem} />}
      {value?.logins.length === 0 && (
        <Card>
          <Empty title="No logins yet.">Workflows sign in with them; secrets are encrypted and never shown again.</Empty>
        </Card>
      )}
      <div class="cards">
        {value?.logins.map((one) => (
          <LoginCard key={one.id} login={one} />
        ))}
      </div>
      {isNew && <NewLogin onClose={() => setNew(false)} />}
    </>
  );
}

function LoginCard({ login }: { login: Login }) {
  const { health } = login;
  const drop = async () => {
    if (await ask("Delete this login", `“${login.name}” and its secrets are forgotten.`, "Delete it")) await call("/logins/delete", { id: login.id });
  };
  return (
    <Card title={login.name} actions={<Health login={login} />}>
      <dl class="facts small">
        <dt>User</dt>
        <dd>{login.loginConfiguration.username || "–"}</dd>
        <dt>Site</dt>
        <dd class="clip">{login.authenticationUrl}</dd>
        <dt>Second factor</dt>
        <dd>{login.loginConfiguration.twoFactorAuthConfiguration?.method ?? "None"}</dd>
        <dt>Last signed in</dt>
        <dd>
          <Time iso={health?.lastSuccessAt} />
        </dd>
      </dl>
      {health?.lastFailure && <p class="small field-problem">{health.lastFailure}</p>}
      <div class="row">
        <Button onPress={() => test(login)}>Test</Button>
        {health?.isHeld && <Button onPress={() => call("/logins/release", { id: login.id })}>Release</Button>}
        <Button kind="quiet" icon="trash" label={`Delete ${login.name}`} onPress={drop} />
      </div>
    </Card>
  );
}

function Health({ login }: { login: Login }) {
  if (login.health?.isHeld) return <Badge kind="bad">Held back</Badge>;
  if (login.health?.lastFailure) return <Badge kind="warn">Failed last</Badge>;
  return login.health?.lastSuccessAt ? <Badge kind="good">Works</Badge> : <Badge>Not used yet</Badge>;
}

async function test(login: Login): Promise<void> {
  const { test: result } = await call("/logins/test", { id: login.id });
  notify(result.message, result.success ? "good" : "bad");
}

function NewLogin({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ name: "", authenticationUrl: "", homeUrl: "", username: "", password: "", method: "None", totpSecretKey: "" });
  const [persistSession, setPersist] = useState(true);
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  const create = async () => {
    await call("/logins/create", {
      name: form.name,
      authenticationUrl: form.authenticationUrl,
      ...(form.homeUrl ? { homeUrl: form.homeUrl } : {}),
      persistSession,
      loginConfiguration: {
        username: form.username,
        password: form.password,
        twoFactorAuthConfiguration: { method: form.method, ...(form.method === "TOTP" ? { totpSecretKey: form.totpSecretKey } : {}) },
      },
    } as never);
    onClose();
  };
  return (
    <Dialog title="New login" onClose={onClose}>
      <TextField label="Name" value={form.name} onInput={(name) => set({ name })} required />
      <TextField label="Sign-in page" type="url" value={form.authenticationUrl} onInput={(authenticationUrl) => set({ authenticationUrl })} placeholder="https://portal.example/sign-in" required />
      <TextField label="Home page" help="Where a signed-in person arrives; shows whether signing in worked." type="url" value={form.homeUrl} onInput={(homeUrl) => set({ homeUrl })} />
      <TextField label="User name" value={form.username} onInput={(username) => set({ username })} />
      <TextField label="Password" type="password" autoComplete="new-password" value={form.password} onInput={(password) => set({ password })} />
      <SelectField label="Second factor" value={form.method} onInput={(method) => set({ method })} options={[["None", "None"], ["TOTP", "Authenticator app"], ["Email", "Code by mail"], ["SMS", "Code by text message"]]} />
      {form.method === "TOTP" && <TextField label="Seed" help="The secret or the otpauth address behind the QR code." type="password" value={form.totpSecretKey} onInput={(totpSecretKey) => set({ totpSecretKey })} />}
      <CheckField label="Keep the session" help="The next run is signed in already." checked={persistSession} onInput={setPersist} />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!form.name || !form.authenticationUrl} onPress={create}>
          Keep it
        </Button>
      </div>
    </Dialog>
  );
}
