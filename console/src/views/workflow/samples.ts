/** Values that templates had: in the live session, else in the newest finished run. */
import { signal } from "@preact/signals";
import { call } from "../../api/client";
import { formatValue } from "../../design/format";
import { findBlock, placeOf, referencesOf } from "./block_edits";
import type { Draft } from "./draft";
import type { LiveSession } from "./live_session";

const MAX_LENGTH = 60;
const ONLY_TEMPLATE = /"\{\{\s*([\w.-]+)\s*\}\}"/;

interface LastRun {
  readonly params: Readonly<Record<string, unknown>>;
  readonly blocks: Readonly<Record<string, unknown>>;
}

export class Samples {
  private readonly lastRun = signal<LastRun>({ params: {}, blocks: {} });
  private isAsked = false;

  constructor(
    private readonly workflowId: string,
    private readonly draft: Draft,
    private readonly session: LiveSession,
  ) {}

  /** Read the newest run, once. */
  async load(): Promise<void> {
    if (this.isAsked) return;
    this.isAsked = true;
    const { executions } = await call("/executions/list", {
      workflowId: this.workflowId,
      status: "Completed",
      limit: 1,
    });
    if (!executions[0]) return;
    const { execution } = await call("/executions/get", { id: executions[0].id });
    const { context } = execution as { context?: Partial<LastRun> };
    this.lastRun.value = { params: execution.params, blocks: context?.blocks ?? {} };
  }

  /** What a name stood for, as one short line; empty if nothing is known. */
  textOf(name: string): string {
    const text = formatValue(this.valueOf(name));
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  }

  private valueOf(name: string): unknown {
    const [root = "", field = ""] = name.split(".");
    const { parameters } = this.draft.content.value;
    if (root === "params")
      return this.lastRun.value.params[field] ?? parameters.find((one) => one.name === field)?.default;
    if (root === "blocks") return this.outputOf(field);
    return root === "item" ? this.firstItem() : undefined;
  }

  private outputOf(reference: string): unknown {
    const references = referencesOf(this.draft.blocks.value);
    const key = [...references].find(([, one]) => one === reference)?.[0];
    return (key && this.session.outputs.value.get(key)) ?? this.lastRun.value.blocks[reference];
  }

  /** The first of the items that the loop around the selected block goes over. */
  private firstItem(): unknown {
    const blocks = this.draft.blocks.value;
    const parent = placeOf(blocks, this.draft.selected.value ?? "")?.parent;
    const over = ONLY_TEMPLATE.exec(JSON.stringify((parent && findBlock(blocks, parent)?.data) || {}));
    const items = over && over[1] !== "item" ? this.valueOf(over[1]!) : undefined;
    return Array.isArray(items) ? items[0] : undefined;
  }
}
