/** Calls to the service's public API: the console can do nothing that a client cannot. */
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
type Post<P extends keyof paths> = paths[P] extends { post: infer Operation } ? Operation : never;
type Body<Operation> = Operation extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
type Answer<Operation> = Operation extends { responses: infer R }
  ? R extends { 200: { content: { "application/json": infer A } } }
    ? A
    : R extends { 201: { content: { "application/json": infer A } } }
      ? A
      : never
  : never;

/** A refusal in the service's own words. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

let onSignedOut: () => void = () => undefined;

/** Says what happens when the session has ended. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

export const UNREACHABLE = "The service cannot be reached. Is it running?";

/** Call one operation; throws `Refused` with a sentence for people. */
export async function call<P extends keyof paths>(
  path: P,
  body: Body<Post<P>>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Answer<Post<P>>> {
  const response = await post(path, body, signal);
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  if (answer.error !== undefined) throw refusal(response.status, answer.error);
  return answer as Answer<Post<P>>;
}

/** The answer to a request that was not refused; `Refused` says why it was. */
export async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      credentials: "same-origin",
      ...(signal ? { signal } : {}),
    });
  } catch (trouble) {
    if (trouble instanceof DOMException && trouble.name === "AbortError") throw trouble;
    throw new Refused(UNREACHABLE, 0);
  }
  if (response.ok) return response;
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  throw refusal(response.status, answer.error);
}

/** What an answer that is not a success says; a session that has ended leads to the sign-in. */
export function refusal(status: number, error: string | undefined): Refused {
  if (status === 401) onSignedOut();
  return new Refused(error ?? `The service answered with status ${status}.`, status);
}

/** A signed address of the service as this page reaches it: it may be open under another name of the same host. */
export function own(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** What to tell a person about any failure. */
export function sentence(trouble: unknown): string {
  return trouble instanceof Error ? trouble.message : String(trouble);
}
