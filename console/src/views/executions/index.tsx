/** The table of executions: filtered by the address and updated live. */
import { useSignal } from "@preact/signals";
import { searchParams } from "../../app/router";
import { Card, EmptyState, ListState } from "../../design/card";
import { formatCount, formatDuration } from "../../design/format";
import { Badge, Status, STATUS_WIDTH } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { TextWithCode } from "../../design/text_with_code";
import { Time } from "../../design/time";
import { WorkflowName } from "../../design/workflow_name";
import { Filters, readFilters } from "./filters";
import { usePages, type Item } from "./pages";
import { Selection } from "./selection";

const COLUMNS: readonly Column<Item>[] = [
  { name: "Status", cell: (one) => <Status value={one.status} />, width: STATUS_WIDTH },
  {
    name: "Workflow",
    cell: (one) => <WorkflowName name={one.workflow.name} href={`/executions/${one.id}`} />,
    isLong: true,
  },
  { name: "Name", cell: (one) => (one.isTest ? <NameWithBadge one={one} /> : (one.name ?? "")), minor: true },
  { name: "Started", cell: (one) => <Time iso={one.startTime} />, width: 138, minor: true },
  { name: "Duration", cell: (one) => durationOf(one), width: 112, minor: true },
  {
    name: "Attempts",
    cell: (one) => `${one.attempts} of ${one.totalAttempts}`,
    width: 84,
    minor: true,
    isLabelled: true,
  },
  { name: "Reason", cell: (one) => <Reason text={reasonOf(one)} />, isLong: true, minor: true },
];

export default function Executions() {
  const filter = readFilters(searchParams.value);
  const { rows, total, isTotalExact, problem, more } = usePages(filter);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  return (
    <>
      <div class="view-head">
        <h1>Executions</h1>
        <span class="muted" role="status">
          {total === undefined ? "" : (isTotalExact ? "" : "at least ") + formatCount(total, "execution")}
        </span>
      </div>
      <Filters />
      {selected.value.size > 0 && (
        <Selection
          rows={rows.filter((one) => selected.value.has(one.id))}
          onDone={() => (selected.value = new Set())}
        />
      )}
      <Card flush>
        <ListState isLoaded={total !== undefined} problem={problem} />
        {!problem && total === 0 && <NoExecutions />}
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

function NoExecutions() {
  const isFiltered = [...searchParams.value.keys()].length > 0;
  return isFiltered ? (
    <EmptyState title="No execution matches these filters.">
      <a href="/executions">Show all</a>
    </EmptyState>
  ) : (
    <EmptyState title="Nothing has run yet.">
      Start one from <a href="/workflows">a workflow</a>.
    </EmptyState>
  );
}

function durationOf(one: Item): string {
  return one.durationMs === undefined ? "" : formatDuration(one.durationMs);
}

/** Why it failed, or what it waits for. */
function reasonOf(one: Item): string {
  return one.failure?.message ?? one.waiting?.reason ?? "";
}

function Reason({ text }: { text: string }) {
  return (
    <span title={text}>
      <TextWithCode text={text} />
    </span>
  );
}

function NameWithBadge({ one }: { one: Item }) {
  return (
    <>
      {one.name} <Badge>Test</Badge>
    </>
  );
}
