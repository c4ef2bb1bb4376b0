/** All events of a run, oldest first. */
import { Table, type Column } from "../../design/table";
import type { Event } from "./steps";

const COLUMNS: readonly Column<Event>[] = [
  { name: "At", cell: (one) => new Date(one.at).toLocaleTimeString("en-GB"), width: 90 },
  { name: "Type", cell: (one) => <code>{one.type}</code>, width: 150 },
  { name: "Message", cell: (one) => <span title={one.message}>{one.message}</span> },
];

export function EventTable({ events }: { events: readonly Event[] }) {
  return <Table label="Events" rows={events} columns={COLUMNS} keyOf={(one) => String(one.seq)} />;
}
