/** A virtual table: only the rows near the window are in the document, and `onEnd` loads more. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CheckField } from "./field";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Smaller, below the other columns, on narrow screens. */
  readonly minor?: boolean;
  readonly width?: string;
  /** Long text: takes up to two lines. */
  readonly isLong?: boolean;
  /** A number that needs the column's name beside it on narrow screens. */
  readonly isNumeric?: boolean;
}

interface Props<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** The number of all rows, loaded or not. */
  total?: number;
  onEnd?: () => void;
  selected?: ReadonlySet<string>;
  onSelect?: (keys: ReadonlySet<string>) => void;
}

const ROW_HEIGHT = { wide: 44, narrow: 84 };
const OVERSCAN_ROWS = 12;
const narrow = matchMedia("(max-width: 700px)");

export function Table<Row>({ label, rows, columns, keyOf, total, onEnd, selected, onSelect }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, last] = useVisibleRange(body, rows.length);
  useEffect(() => {
    if (onEnd && last >= rows.length - OVERSCAN_ROWS) onEnd();
  }, [last, rows.length]);
  const height = rowHeight();
  const toggle = (key: string, isOn: boolean) => {
    const next = new Set(selected);
    if (isOn) next.add(key);
    else next.delete(key);
    onSelect?.(next);
  };
  const isAllSelected = rows.length > 0 && rows.every((row) => selected?.has(keyOf(row)));
  return (
    <table class="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
      <thead>
        <tr>
          {onSelect && (
            <th scope="col" class="table-check">
              <CheckField
                label="Select all"
                hideLabel
                checked={isAllSelected}
                onInput={(isOn) => onSelect(isOn ? new Set(rows.map(keyOf)) : new Set())}
              />
            </th>
          )}
          {columns.map((column) => (
            <th key={column.name} scope="col" class={column.minor ? "minor" : ""} style={column.width ? { width: column.width } : undefined}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {first > 0 && <Spacer height={first * height} />}
        {rows.slice(first, last).map((row, offset) => {
          const key = keyOf(row);
          return (
            <tr key={key} aria-rowindex={first + offset + 2} aria-selected={onSelect ? !!selected?.has(key) : undefined}>
              {onSelect && (
                <td class="table-check">
                  <CheckField label={`Select ${key}`} hideLabel checked={!!selected?.has(key)} onInput={(isOn) => toggle(key, isOn)} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} class={column.minor ? "minor" : ""} data-figure={column.isNumeric ? column.name : undefined}>
                  <div class={column.isLong ? "clip-two" : "clip"}>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          );
        })}
        {last < rows.length && <Spacer height={(rows.length - last) * height} />}
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden="true" class="table-spacer" style={{ height: `${height}px` }}>
      <td colSpan={99} />
    </tr>
  );
}

function rowHeight(): number {
  return narrow.matches ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide;
}

/** The range of rows near the window; follows scrolling and resizing. */
function useVisibleRange(body: { current: HTMLElement | null }, count: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 60)]);
  useLayoutEffect(() => {
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const height = rowHeight();
      const first = Math.max(0, Math.floor(-top / height) - OVERSCAN_ROWS);
      const last = Math.min(count, Math.ceil((innerHeight - top) / height) + OVERSCAN_ROWS);
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, Math.max(first, last)]));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [count]);
  return range;
}
