/** A client of a Pagehand service. `src/operations.ts` has a method for every operation of its API. */

import {
  type Event,
  type Execution,
  type Failure,
  type File,
  type FinishedExecution,
  Operations,
} from "./operations.js";

export * from "./operations.js";

const TRIES = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const POLL_MS = 300;
const PAGE = 1000;
/** Operations that take an Idempotency-Key: sent again, they do nothing twice. */
const WITH_KEY = ["/workflows/execute", "/workflows/executeSync"];

/** The service has refused a request; the message is its sentence. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: unknown,
  ) {
    super(message);
  }
}

/** The workflow ran and failed; `failure` is for programs, `analysis` for people. */
export class ExecutionFailed extends Error {
  readonly failure: Failure | null;
  readonly analysis: string;

  constructor(readonly execution: Execution | FinishedExecution) {
    super(execution.failure?.message ?? execution.errorAnalysis ?? "The execution has failed.");
    this.failure = execution.failure ?? null;
    this.analysis = execution.errorAnalysis ?? "";
  }
}

export interface RunOptions {
  loginId?: string;
  /** In seconds. */
  timeout?: number;
}

export class Pagehand extends Operations {
  readonly url: string;
  readonly #headers: Record<string, string>;

  constructor(url = "http://127.0.0.1:8700", key?: string) {
    super();
    this.url = url.replace(/\/+$/, "");
    this.#headers = key ? { Authorization: `Bearer ${key}` } : {};
  }

  /** Run a workflow, named or by its id, and wait for its end; throws ExecutionFailed. */
  async run(workflow: string, params: object = {}, options: RunOptions = {}): Promise<FinishedExecution> {
    const { execution } = await this.workflowsExecuteSync(requestOf(workflow, params, options));
    if (execution.status === "Failed") throw new ExecutionFailed(execution);
    return execution;
  }

  /** Start a workflow and return at once; `wait` and `follow` go on from there. */
  async start(workflow: string, params: object = {}, options: RunOptions = {}): Promise<Execution> {
    return (await this.workflowsExecute(requestOf(workflow, params, options))).execution;
  }

  /** An execution at its end; throws ExecutionFailed. */
  async wait(id: string): Promise<Execution> {
    for (;;) {
      const { execution } = await this.executionsGet({ id });
      if (execution.status === "Failed") throw new ExecutionFailed(execution);
      if (execution.status === "Completed") return execution;
      await pause(POLL_MS);
    }
  }

  /** The events of an execution as they happen, until its end. */
  async *follow(id: string): AsyncGenerator<Event> {
    for (let seen = 0; ; ) {
      // the state before the events: those of an ended execution are then all there
      const { execution } = await this.executionsGet({ id });
      const { events } = await this.executionsEvents({ id, offset: seen, limit: PAGE });
      yield* events;
      seen += events.length;
      if (events.length === 0) {
        if (execution.status === "Completed" || execution.status === "Failed") return;
        await pause(POLL_MS);
      }
    }
  }

  /** Store a file; workflows take it by its `id`. */
  async upload(name: string, content: Blob): Promise<File> {
    const form = new FormData();
    form.append("file", content, name);
    const answer = await this.#send("/files/upload", { method: "POST", body: form });
    return ((await read(answer)) as { file: File }).file;
  }

  /** The bytes of a file, or of any link of the service. */
  async download(file: File | string): Promise<Blob> {
    const link = typeof file === "string" ? file : file.downloadUrl;
    return blobOf(await this.#send(link, { method: "GET" }));
  }

  protected override async post<T>(path: string, fields: object): Promise<T> {
    return (await read(await this.#post(path, fields))) as T;
  }

  protected override async fetchFile(path: string, fields: object): Promise<Blob> {
    return blobOf(await this.#post(path, fields));
  }

  #post(path: string, fields: object): Promise<Response> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (WITH_KEY.includes(path)) headers["Idempotency-Key"] = crypto.randomUUID();
    return this.#send(path, { method: "POST", body: JSON.stringify(fields), headers });
  }

  /** Send until the answer is something else than 429 or 503, for a while. */
  async #send(path: string, request: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const headers = { ...this.#headers, ...request.headers };
    const mayRepeat = "Idempotency-Key" in headers;
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt === TRIES - 1;
      let asked: string | null = null;
      try {
        const answer = await fetch(new URL(path, this.url), { ...request, headers });
        if (isLast || ![429, 503].includes(answer.status)) return answer;
        asked = answer.headers.get("Retry-After");
      } catch (error) {
        // once it was sent, only what has a key may be sent again
        if (isLast || !mayRepeat) throw error;
      }
      await pause(pauseAfter(attempt, asked));
    }
  }
}

function requestOf(workflow: string, params: object, options: RunOptions) {
  const which = workflow.startsWith("wf_") ? { workflowId: workflow } : { workflowName: workflow };
  return { ...which, params: { ...params }, ...options };
}

async function read(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => ({}));
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
  // an execution that was waited for may fail after the status was sent
  if (!answer.ok || (error !== undefined && Object.keys(body as object).length === 1)) {
    const sentence = typeof error === "string" ? error : `The service answered ${answer.status}.`;
    throw new ApiError(answer.status, sentence, body);
  }
  return body;
}

async function blobOf(answer: Response): Promise<Blob> {
  if (!answer.ok) await read(answer);
  return answer.blob();
}

function pauseAfter(attempt: number, asked: string | null): number {
  const seconds = asked === null || asked === "" ? NaN : Number(asked);
  const wanted = Number.isFinite(seconds) ? seconds * 1000 : FIRST_PAUSE_MS * 2 ** attempt;
  // spread, so that many clients do not come back at the same moment
  return Math.min(wanted, LONGEST_PAUSE_MS) * (1 + Math.random() / 4);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
