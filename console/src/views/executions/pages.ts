/** Loads executions page by page, and reloads rows that change. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, errorMessage, type Schemas } from "../../api/client";
import { onChange, type Change } from "../../api/events";
import type { Filter } from "./filters";

export type Item = Schemas["ExecutionSummary"];

interface Pages {
  readonly rows: readonly Item[];
  readonly total: number | undefined;
  /** False while there may be more than `total`. */
  readonly isTotalExact: boolean;
  readonly problem: string | undefined;
  readonly more: () => void;
}

const PAGE_SIZE = 100;
const MAX_SEARCH_TERMS = 50;
const MIN_INTERVAL_MS = 400;

/** The rows of one filter; a new filter gets a new loader. */
class PageLoader {
  rows: readonly Item[] = [];
  total: number | undefined;
  isTotalExact = true;
  problem: string | undefined;
  private cursor: string | null = null;
  private isLoading = false;
  private isClosed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly changed = new Set<string>();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly filter: Filter,
    private readonly onUpdate: () => void,
  ) {
    this.unsubscribe = onChange(["execution"], (change) => this.onExecutionChanged(change));
    void this.load(() => this.readFirst());
  }

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
    clearTimeout(this.timer);
  }

  more(): void {
    const { cursor } = this;
    if (cursor && !this.isLoading) void this.load(() => this.readNext(cursor));
  }

  private onExecutionChanged(change: Change): void {
    if (change.id) this.changed.add(change.id);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.load(async () => {
        await this.readFirst();
        await this.readChanged();
      });
    }, MIN_INTERVAL_MS);
  }

  private async load(read: () => Promise<void>): Promise<void> {
    this.isLoading = true;
    try {
      await read();
      this.problem = undefined;
    } catch (error) {
      this.problem = errorMessage(error);
    }
    this.isLoading = false;
    if (!this.isClosed) this.onUpdate();
  }

  /** Read the first page; rows of later pages stay below it. */
  private async readFirst(): Promise<void> {
    const page = await call("/executions/list", { ...this.filter, limit: PAGE_SIZE });
    this.total = page.total;
    this.isTotalExact = page.totalIsExact ?? true;
    if (this.rows.length <= PAGE_SIZE) {
      this.rows = page.executions;
      this.cursor = page.nextCursor;
      return;
    }
    const newest = new Set(page.executions.map((one) => one.id));
    this.rows = [...page.executions, ...this.rows.filter((one) => !newest.has(one.id))];
  }

  private async readNext(cursor: string): Promise<void> {
    const page = await call("/executions/list", { ...this.filter, limit: PAGE_SIZE, cursor });
    const known = new Set(this.rows.map((one) => one.id));
    this.total = page.total;
    this.isTotalExact = page.totalIsExact ?? true;
    this.cursor = page.nextCursor;
    this.rows = [...this.rows, ...page.executions.filter((one) => !known.has(one.id))];
  }

  /** Read changed rows below the first page again; drop those that no longer match the filter. */
  private async readChanged(): Promise<void> {
    const below = new Set(this.rows.slice(PAGE_SIZE).map((one) => one.id));
    const ids = [...this.changed].filter((id) => below.has(id)).slice(0, MAX_SEARCH_TERMS);
    this.changed.clear();
    if (ids.length === 0 || this.filter.search?.length) return;
    const { executions } = await call("/executions/list", { ...this.filter, search: ids, limit: ids.length });
    const now = new Map(executions.map((one) => [one.id, one]));
    const requested = new Set(ids);
    this.rows = this.rows.flatMap((one) => (requested.has(one.id) ? (now.get(one.id) ?? []) : one));
  }
}

export function usePages(filter: Filter): Pages {
  const key = JSON.stringify(filter);
  const [, setTurn] = useState(0);
  const loader = useRef<PageLoader>(undefined);
  const shownKey = useRef<string>(undefined);
  useEffect(() => {
    const created = new PageLoader(filter, () => setTurn((before) => before + 1));
    loader.current = created;
    shownKey.current = key;
    return () => created.close();
  }, [key]);
  const current = shownKey.current === key ? loader.current : undefined;
  return {
    rows: current?.rows ?? [],
    total: current?.total,
    isTotalExact: current?.isTotalExact ?? true,
    problem: current?.problem,
    more: () => loader.current?.more(),
  };
}
