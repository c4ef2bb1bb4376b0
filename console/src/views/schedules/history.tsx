/** The runs a schedule has started, skipped or missed. */
import { call, type Schemas } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { EmptyState } from "../../design/card";
import { Badge, Status, STATUS_WIDTH } from "../../design/status";
import { Table, type Column } from "../../design/table";
import { Time } from "../../design/time";

type Run = Schemas["Run"];
const KIND = { started: "good", skipped: "idle", missed: "idle", failed: "bad" } as const;

const COLUMNS: readonly Column<Run>[] = [
  {
    name: "Outcome",
    cell: (one) => <Badge kind={KIND[one.outcome]}>{one.isManual ? "run by hand" : one.outcome}</Badge>,
    width: 160,
  },
  { name: "Scheduled for", cell: (one) => <Time iso={one.scheduledFor} />, width: 160 },
  {
    name: "Execution",
    cell: (one) =>
      one.executionId && (
        <a href={`/executions/${one.executionId}`}>{one.status ? <Status value={one.status} /> : "deleted"}</a>
      ),
    width: STATUS_WIDTH,
  },
  { name: "Reason", cell: (one) => one.message ?? "", minor: true },
];

export function History({ id, after }: { id: string; after: unknown }) {
  const { value, problem } = useQuery(`schedule history ${id}`, () => call("/schedules/history", { id, limit: 500 }), {
    after,
  });
  if (problem) return <EmptyState title={problem} />;
  if (!value) return <p role="status">Loading…</p>;
  if (value.total === 0) return <EmptyState title="No runs yet." />;
  return (
    <Table
      label="History"
      rows={value.runs}
      columns={COLUMNS}
      keyOf={(one) => `${one.at} ${one.scheduledFor} ${one.executionId}`}
      total={value.total}
    />
  );
}
