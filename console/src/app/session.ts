/** Who is looking, and what their key lets them do; what it does not is not offered. */
import { signal } from "@preact/signals";
import { post } from "../api/client";

export type Scope = "read" | "run" | "edit" | "admin";

interface Session {
  readonly organization: string;
  readonly scopes: readonly string[];
  readonly isKeyless: boolean;
}

/** Undefined until the service has said; nothing that changes anything is offered before. */
export const session = signal<Session | undefined>(undefined);

/** Whether the session's key carries a scope. The service refuses what it does not, whatever is shown here. */
export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}

/** Ask the service who is looking. */
export async function startSession(): Promise<void> {
  const response = await fetch("/console/session/get", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
    credentials: "same-origin",
  });
  if (response.ok) session.value = ((await response.json()) as { session: Session }).session;
}

/** End the session; the page is loaded anew, so that nothing of what was read stays in it. */
export async function signOut(): Promise<void> {
  await post("/console/session/end", {});
  location.assign("/sign-in");
}
