/** The form for a new or a stored login. Stored secrets are never shown. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField, TextField } from "../../design/field";
import type { Login } from ".";

type Method = NonNullable<Schemas["TwoFactorFields"]["method"]>;

const METHODS: readonly (readonly [Method, string])[] = [
  ["None", "None"],
  ["TOTP", "Authenticator app"],
  ["Email", "Code by mail"],
  ["SMS", "Code by text message"],
];

export function LoginForm({ login, onClose }: { login?: Login; onClose: () => void }) {
  const [form, setForm] = useState(() => fieldsOf(login));
  const set = (change: Partial<Fields>) => setForm({ ...form, ...change });
  const isMoved = login !== undefined && hasNewOrigin(login, form);
  const secretHelp = isMoved
    ? "The address is new to this login: enter the secret again."
    : login
      ? "Leave empty to keep the stored value."
      : undefined;
  const save = async () => {
    const request = requestFor(form, isMoved);
    await (login ? call("/logins/update", { id: login.id, ...request }) : call("/logins/create", request));
    onClose();
  };
  return (
    <Dialog title={login ? `Change ${login.name}` : "New login"} onClose={onClose}>
      <TextField label="Name" path="name" value={form.name} onInput={(name) => set({ name })} required />
      <TextField
        label="Sign-in page"
        path="authenticationUrl"
        type="url"
        value={form.authenticationUrl}
        onInput={(authenticationUrl) => set({ authenticationUrl })}
        placeholder="https://portal.example/sign-in"
        required
      />
      <TextField
        label="Home page"
        path="homeUrl"
        help="The page after sign-in; reaching it shows that the sign-in worked."
        type="url"
        value={form.homeUrl}
        onInput={(homeUrl) => set({ homeUrl })}
      />
      <CheckField
        label="A person signs in by hand"
        help="For sites that need a person: runs wait until you have signed in, in the live view."
        checked={form.isManual}
        onInput={(isManual) => set({ isManual })}
      />
      <TextField label="User name" path="username" value={form.username} onInput={(username) => set({ username })} />
      <TextField
        label="Password"
        path="password"
        help={secretHelp}
        type="password"
        autoComplete="new-password"
        value={form.password}
        onInput={(password) => set({ password })}
      />
      <SelectField
        label="Second factor"
        path="method"
        value={form.method}
        onInput={(method) => set({ method })}
        options={METHODS}
      />
      {form.method === "TOTP" && (
        <TextField
          label="TOTP secret"
          path="totpSecretKey"
          help={secretHelp ?? "The secret, or the otpauth:// URL in the QR code."}
          type="password"
          value={form.seed}
          onInput={(seed) => set({ seed })}
        />
      )}
      <CheckField
        label="Keep the session"
        help="The next run starts signed in."
        checked={form.persistSession}
        onInput={(persistSession) => set({ persistSession })}
      />
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
  method: Method;
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
    method: (login?.loginConfiguration.twoFactorAuthConfiguration?.method as Method | undefined) ?? "None",
    seed: "",
    persistSession: login?.persistSession ?? true,
    isManual: login?.isManualAuthentication ?? false,
  };
}

/** Whether an address leads to an origin that the login does not know; its stored secrets do not go there. */
function hasNewOrigin(login: Login, form: Fields): boolean {
  const known = [login.authenticationUrl, login.homeUrl, ...login.signInUrls].map(originOf);
  return [form.authenticationUrl, form.homeUrl].some((url) => url !== "" && !known.includes(originOf(url)));
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? url;

/** The request body; a secret that was left empty stays unchanged, and one that is no longer used stays behind. */
function requestFor(form: Fields, isMoved: boolean): Schemas["CreateLogin"] {
  const seed = form.method === "TOTP" ? form.seed || undefined : isMoved ? "" : undefined;
  return {
    name: form.name,
    authenticationUrl: form.authenticationUrl,
    ...(form.homeUrl ? { homeUrl: form.homeUrl } : {}),
    persistSession: form.persistSession,
    isManualAuthentication: form.isManual,
    loginConfiguration: {
      username: form.username,
      ...(form.password ? { password: form.password } : {}),
      twoFactorAuthConfiguration: { method: form.method, ...(seed === undefined ? {} : { totpSecretKey: seed }) },
    },
  };
}
