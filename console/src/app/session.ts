/** The signed-in session and its scopes; the console hides what they do not allow. */
import { signal } from "@preact/signals";
import { post } from "../api/client";

export type Scope = "read" | "run" | "edit" | "admin";

interface Session {
  readonly organization: string;
  readonly scopes: readonly string[];
  readonly isKeyless: boolean;
}

/** Undefined until the service has answered; until then every action that changes something is hidden. */
export const session = signal<Session | undefined>(undefined);

/** Whether the session has a scope. This only decides what is shown: the service checks every request. */
export function hasScope(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/** Read the session from the service. */
export async function startSession(): Promise<void> {
  const response = await fetch("/console/session/get", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
    credentials: "same-origin",
  });
  if (response.ok) session.value = ((await response.json()) as { session: Session }).session;
}

/** End the session, and reload the page so that no data stays in memory. */
export async function signOut(): Promise<void> {
  await post("/console/session/end", {});
  location.assign("/sign-in");
}
