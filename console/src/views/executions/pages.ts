/** Executions page by page: more as somebody scrolls, and known rows brought up to date when they change. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, sentence, type Schemas } from "../../api/client";
import { onChange, type Change } from "../../api/events";
import type { Filter } from "./filters";

export type Item = Schemas["ExecutionSummary"];

interface Pages {
  readonly rows: readonly Item[];
  readonly total: number | undefined;
  readonly problem: string | undefined;
  readonly more: () => void;
}

const PAGE = 100;
const MOST_TERMS = 50;
const AT_MOST_EVERY_MS = 400;

/** What is read for one filter, until another is chosen. */
class Reader {
  rows: readonly Item[] = [];
  total: number | undefined;
  problem: string | undefined;
  private cursor: string | null = null;
  private isReading = false;
  private isGone = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly changed = new Set<string>();
  private readonly stop: () => void;

  constructor(
    private readonly filter: Filter,
    private readonly show: () => void,
  ) {
    this.stop = onChange(["execution"], (change) => this.note(change));
    void this.attempt(() => this.readFirst());
  }

  close(): void {
    this.isGone = true;
    this.stop();
    clearTimeout(this.timer);
  }

  more(): void {
    const { cursor } = this;
    if (cursor && !this.isReading) void this.attempt(() => this.readNext(cursor));
  }

  private note(change: Change): void {
    if (change.id) this.changed.add(change.id);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.attempt(async () => {
        await this.readFirst();
        await this.readChanged();
      });
    }, AT_MOST_EVERY_MS);
  }

  private async attempt(read: () => Promise<void>): Promise<void> {
    this.isReading = true;
    try {
      await read();
      this.problem = undefined;
    } catch (trouble) {
      this.problem = sentence(trouble);
    }
    this.isReading = false;
    if (!this.isGone) this.show();
  }

  /** The newest; older ones that were read already stay below. */
  private async readFirst(): Promise<void> {
    const page = await call("/executions/list", { ...this.filter, limit: PAGE });
    this.total = page.total;
    if (this.rows.length <= PAGE) {
      this.rows = page.executions;
      this.cursor = page.nextCursor;
      return;
    }
    const fresh = new Set(page.executions.map((one) => one.id));
    this.rows = [...page.executions, ...this.rows.filter((one) => !fresh.has(one.id))];
  }

  private async readNext(cursor: string): Promise<void> {
    const page = await call("/executions/list", { ...this.filter, limit: PAGE, cursor });
    const known = new Set(this.rows.map((one) => one.id));
    this.total = page.total;
    this.cursor = page.nextCursor;
    this.rows = [...this.rows, ...page.executions.filter((one) => !known.has(one.id))];
  }

  /** Rows far down that changed: as they are now, or gone when they fit the filter no longer. */
  private async readChanged(): Promise<void> {
    const below = new Set(this.rows.slice(PAGE).map((one) => one.id));
    const ids = [...this.changed].filter((id) => below.has(id)).slice(0, MOST_TERMS);
    this.changed.clear();
    if (ids.length === 0 || this.filter.search?.length) return;
    const { executions } = await call("/executions/list", { ...this.filter, search: ids, limit: ids.length });
    const now = new Map(executions.map((one) => [one.id, one]));
    const asked = new Set(ids);
    this.rows = this.rows.flatMap((one) => (asked.has(one.id) ? (now.get(one.id) ?? []) : one));
  }
}

export function usePages(filter: Filter): Pages {
  const key = JSON.stringify(filter);
  const [, setTurn] = useState(0);
  const reader = useRef<Reader>(undefined);
  const shownKey = useRef<string>(undefined);
  useEffect(() => {
    const mine = new Reader(filter, () => setTurn((before) => before + 1));
    reader.current = mine;
    shownKey.current = key;
    return () => mine.close();
  }, [key]);
  const current = shownKey.current === key ? reader.current : undefined;
  return { rows: current?.rows ?? [], total: current?.total, problem: current?.problem, more: () => reader.current?.more() };
}
