/** All executions: filtered by the address, live, of any length. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, sentence, type Schemas } from "../../api/client";
import { onChange } from "../../api/events";
import { query } from "../../app/router";
import { Card, Empty } from "../../design/card";
import { Status } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { duration, Time } from "../../design/time";
import { Filters, readFilters, type Filter } from "./filters";
import { Selection } from "./selection";

export type Item = Schemas["ExecutionSummary"];
const PAGE = 100;

const COLUMNS: readonly Column<Item>[] = [
  { name: "Status", cell: (one) => <Status value={one.status} />, width: "128px" },
  { name: "Workflow", cell: (one) => <a href={`/executions/${one.id}`}>{one.workflow.name}</a> },
  { name: "Name", cell: (one) => one.name ?? "", minor: true },
  { name: "Started", cell: (one) => <Time iso={one.startTime} />, width: "130px", minor: true },
  { name: "Duration", cell: (one) => tookOf(one), width: "104px", minor: true },
  { name: "Attempts", cell: (one) => `${one.attempts} of ${one.totalAttempts}`, width: "84px", minor: true },
  { name: "Reason", cell: (one) => <span title={reasonOf(one)}>{reasonOf(one)}</span>, minor: true },
];

export default function Executions() {
  const filter = readFilters(query.value);
  const { rows, total, problem, more } = usePages(filter);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  return (
    <>
      <div class="view-head">
        <h1>Executions</h1>
        <span class="muted" role="status">
          {total === undefined ? "" : `${total.toLocaleString("en")} in all`}
        </span>
      </div>
      <Filters />
      {selected.value.size > 0 && <Selection rows={rows.filter((one) => selected.value.has(one.id))} onDone={() => (selected.value = new Set())} />}
      <Card flush>
        {problem && <Empty title={problem} />}
        {!problem && total === 0 && <NoneFound />}
        {rows.length > 0 && (
          <Table
            label="Executions"
            rows={rows}
            columns={COLUMNS}
            keyOf={(one) => one.id}
            total={total ?? rows.length}
            onEnd={more}
            selected={selected.value}
            onSelect={(keys) => (selected.value = keys)}
          />
        )}
      </Card>
    </>
  );
}

function NoneFound() {
  const isFiltered = [...query.value.keys()].length > 0;
  return isFiltered ? (
    <Empty title="No execution matches these filters.">
      <a href="/executions">Show all</a>
    </Empty>
  ) : (
    <Empty title="Nothing has run yet.">
      Start one from <a href="/workflows">a workflow</a>.
    </Empty>
  );
}

export function tookOf(one: Item): string {
  const took = (one as { durationMs?: number }).durationMs;
  return took === undefined ? "" : duration(took);
}

export function reasonOf(one: Item): string {
  return (one as { failure?: { message?: string } | null }).failure?.message ?? "";
}

/** Pages by cursor; the first is read again when something changes, and known rows are brought up to date. */
function usePages(filter: Filter) {
  const key = JSON.stringify(filter);
  const [rows, setRows] = useState<readonly Item[]>([]);
  const [total, setTotal] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const cursor = useRef<string | null>(null);
  const reading = useRef(false);
  const current = useRef(key);
  current.current = key;

  const read = async (from: string | null) => {
    const answer = await call("/executions/list", { ...filter, limit: PAGE, ...(from ? { cursor: from } : {}) });
    if (current.current !== key) return;
    setTotal(answer.total);
    setProblem(undefined);
    if (from === null && rowsRef.current.length <= PAGE) cursor.current = answer.nextCursor ?? null;
    if (from !== null) cursor.current = answer.nextCursor ?? null;
    setRows((before) => merge(from === null, before, answer.executions));
  };
  const rowsRef = useRef(rows);
  rowsRef.current = rows;
  const guarded = (from: string | null) => {
    if (reading.current) return;
    reading.current = true;
    read(from)
      .catch((trouble: unknown) => setProblem(sentence(trouble)))
      .finally(() => (reading.current = false));
  };
  useEffect(() => {
    setRows([]);
    rowsRef.current = [];
    cursor.current = null;
    reading.current = false;
    guarded(null);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(["execution"], () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        guarded(null);
      }, 400);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key]);
  return { rows, total, problem, more: () => cursor.current && guarded(cursor.current) };
}

/** Put a page into what is shown: the newest on top, every execution once, its latest state. */
function merge(isFirst: boolean, before: readonly Item[], page: readonly Item[]): readonly Item[] {
  const fresh = new Map(page.map((one) => [one.id, one]));
  const kept = before.filter((one) => !fresh.has(one.id));
  if (isFirst && before.length <= PAGE) return page;
  return isFirst ? [...page, ...kept] : [...before.map((one) => fresh.get(one.id) ?? one), ...page.filter((one) => !before.some((old) => old.id === one.id))];
}
