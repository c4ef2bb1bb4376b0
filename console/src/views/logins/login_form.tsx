/** A login's fields, for a new one or a kept one; secrets go in and never come out. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField, TextField } from "../../design/field";
import type { Login } from ".";

const METHODS = [
  ["None", "None"],
  ["TOTP", "Authenticator app"],
  ["Email", "Code by mail"],
  ["SMS", "Code by text message"],
] as const;

export function LoginForm({ login, onClose }: { login?: Login; onClose: () => void }) {
  const [form, setForm] = useState(() => fieldsOf(login));
  const set = (change: Partial<Fields>) => setForm({ ...form, ...change });
  const kept = login ? "Empty keeps the one that is stored." : undefined;
  const save = async () => {
    await (login ? call("/logins/update", { id: login.id, ...written(form) } as never) : call("/logins/create", written(form) as never));
    onClose();
  };
  return (
    <Dialog title={login ? `Change ${login.name}` : "New login"} onClose={onClose}>
      <TextField label="Name" value={form.name} onInput={(name) => set({ name })} required />
      <TextField label="Sign-in page" type="url" value={form.authenticationUrl} onInput={(authenticationUrl) => set({ authenticationUrl })} placeholder="https://portal.example/sign-in" required />
      <TextField label="Home page" help="Where a signed-in person arrives; shows whether signing in worked." type="url" value={form.homeUrl} onInput={(homeUrl) => set({ homeUrl })} />
      <CheckField label="A person signs in by hand" help="For sites that no program can sign in to: runs wait for you in the live view." checked={form.isManual} onInput={(isManual) => set({ isManual })} />
      <TextField label="User name" value={form.username} onInput={(username) => set({ username })} />
      <TextField label="Password" help={kept} type="password" autoComplete="new-password" value={form.password} onInput={(password) => set({ password })} />
      <SelectField label="Second factor" value={form.method} onInput={(method) => set({ method })} options={METHODS} />
      {form.method === "TOTP" && <TextField label="Seed" help={kept ?? "The secret or the otpauth address behind the QR code."} type="password" value={form.seed} onInput={(seed) => set({ seed })} />}
      <CheckField label="Keep the session" help="The next run is signed in already." checked={form.persistSession} onInput={(persistSession) => set({ persistSession })} />
      <div class="row dialog-actions">
        <Button kind="primary" disabled={!form.name || !form.authenticationUrl} onPress={save}>
          Save
        </Button>
      </div>
    </Dialog>
  );
}

interface Fields {
  name: string;
  authenticationUrl: string;
  homeUrl: string;
  username: string;
  password: string;
  method: string;
  seed: string;
  persistSession: boolean;
  isManual: boolean;
}

function fieldsOf(login: Login | undefined): Fields {
  return {
    name: login?.name ?? "",
    authenticationUrl: login?.authenticationUrl ?? "",
    homeUrl: login?.homeUrl ?? "",
    username: login?.loginConfiguration.username ?? "",
    password: "",
    method: login?.loginConfiguration.twoFactorAuthConfiguration?.method ?? "None",
    seed: "",
    persistSession: login?.persistSession ?? true,
    isManual: login?.isManualAuthentication ?? false,
  };
}

/** What is sent to the service; a secret that was not typed stays as it is. */
function written(form: Fields): object {
  return {
    name: form.name,
    authenticationUrl: form.authenticationUrl,
    ...(form.homeUrl ? { homeUrl: form.homeUrl } : {}),
    persistSession: form.persistSession,
    isManualAuthentication: form.isManual,
    loginConfiguration: {
      username: form.username,
      ...(form.password ? { password: form.password } : {}),
      twoFactorAuthConfiguration: { method: form.method, ...(form.method === "TOTP" && form.seed ? { totpSecretKey: form.seed } : {}) },
    },
  };
}
