/** Calls to the public API. The console uses nothing that another client could not use. */
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
type Post<P extends keyof paths> = paths[P] extends { post: infer Operation } ? Operation : never;
type RequestBody<Operation> = Operation extends { requestBody?: { content: { "application/json": infer B } } }
  ? B
  : never;
type ResponseBody<Operation> = Operation extends { responses: infer R }
  ? R extends { 200: { content: { "application/json": infer A } } }
    ? A
    : R extends { 201: { content: { "application/json": infer A } } }
      ? A
      : never
  : never;

/** A failed call; its message is the service's, written for users. Status 0: the service was not reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** The whole answer: some say more than the message. */
    readonly answer: object = {},
  ) {
    super(message);
  }
}

let signedOutHandler: () => void = () => undefined;

/** Set what happens when the session has ended. */
export function onSignedOut(handler: () => void): void {
  signedOutHandler = handler;
}

const CUT_OFF = "The connection broke off before the answer was complete. It may have been carried out.";
export const UNREACHABLE = "The service cannot be reached. Is it running?";

/** Call one operation and return its answer; throws `ApiError`. */
export async function call<P extends keyof paths>(
  path: P,
  body: RequestBody<Post<P>>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ResponseBody<Post<P>>> {
  const response = await post(path, body, signal);
  const answer = (await response.json().catch((error: unknown) => {
    // a long answer can break off after its status was sent
    throw error instanceof DOMException ? error : new ApiError(CUT_OFF, 0);
  })) as { error?: string };
  if (answer.error !== undefined) throw apiError(response.status, answer);
  return answer as ResponseBody<Post<P>>;
}

/** Send JSON and return the response if its status is a success; throws `ApiError` otherwise. */
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
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(UNREACHABLE, 0);
  }
  if (response.ok) return response;
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  throw apiError(response.status, answer ?? {});
}

/** The error for a response; status 401 also leads to the sign-in page. */
export function apiError(status: number, answer: { error?: string } | null): ApiError {
  if (status === 401) signedOutHandler();
  return new ApiError(answer?.error ?? `The service answered with status ${status}.`, status, answer ?? {});
}

/** A signed URL with the host name that the console is open under, which may be another than the one in the URL. */
export function sameOriginUrl(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  // with the origin: a path that begins with two slashes would be another host
  return location.origin + pathname + search;
}

/** The text to show for any caught error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
