/** A virtual table: only the rows near the window are in the document, and `onEnd` loads more.

Every column has a minimum width. Where not all of them fit beside each other, each row takes several lines: as many
columns in a line as fit, so that none is squeezed or hidden. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CheckField } from "./field";

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Smaller where a row takes several lines. */
  readonly minor?: boolean;
  /** In pixels; a column without it shares what the others leave, and never gets less than its minimum. */
  readonly width?: number;
  /** Long text: takes up to two lines. */
  readonly isLong?: boolean;
  /** The column's name stands beside the value where there is no header. */
  readonly isLabelled?: boolean;
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

/** In pixels; a value with its column's name beside it needs no more than `labelled`. */
const MIN_WIDTH = { text: 130, long: 240, labelled: 224 };
/** Pixels of one letter of a label, in small print. */
const LETTER_WIDTH = 7;
const CHECK_WIDTH = 42;
/** Pixels of a row with one line; and of the lines and the padding of a row with several. */
const HEIGHT = { single: 44, line: 28, longLine: 42, padding: 16 };
const OVERSCAN_ROWS = 12;

export function Table<Row>({ label, rows, columns, keyOf, total, onEnd, selected, onSelect }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const width = useWidth(table) - (onSelect ? CHECK_WIDTH : 0);
  const lines = linesOf(columns, width);
  const isWrapped = lines.length > 1;
  const height = isWrapped
    ? lines.reduce(
        (sum, line) => sum + (line.some((one) => one.isLong) ? HEIGHT.longLine : HEIGHT.line),
        HEIGHT.padding,
      )
    : HEIGHT.single;
  const [first, last] = useVisibleRange(body, rows.length, height);
  useEffect(() => {
    if (onEnd && last >= rows.length - OVERSCAN_ROWS) onEnd();
  }, [last, rows.length]);
  const toggle = (key: string, isOn: boolean) => {
    const next = new Set(selected);
    if (isOn) next.add(key);
    else next.delete(key);
    onSelect?.(next);
  };
  const isAllSelected = rows.length > 0 && rows.every((row) => selected?.has(keyOf(row)));
  return (
    <table
      ref={table}
      class={isWrapped ? "table wrapped" : "table"}
      aria-label={label}
      aria-rowcount={(total ?? rows.length) + 1}
    >
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
            <th
              key={column.name}
              scope="col"
              class={column.minor ? "minor" : ""}
              style={{ width: `${shareOf(column, columns, width)}px` }}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {first > 0 && <Spacer height={first * height} columns={columns.length + (onSelect ? 1 : 0)} />}
        {rows.slice(first, last).map((row, offset) => {
          const key = keyOf(row);
          return (
            <tr
              key={key}
              style={{ height: `${height}px` }}
              aria-rowindex={first + offset + 2}
              aria-selected={onSelect ? !!selected?.has(key) : undefined}
            >
              {onSelect && (
                <td class="table-check">
                  <CheckField
                    label={`Select ${key}`}
                    hideLabel
                    checked={!!selected?.has(key)}
                    onInput={(isOn) => toggle(key, isOn)}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td
                  key={column.name}
                  class={column.minor ? "minor" : ""}
                  data-figure={column.isLabelled ? column.name : undefined}
                  style={isWrapped ? { flex: `${column.width ? 0 : 1} 1 ${basisOf(column, true)}px` } : undefined}
                >
                  <div class={column.isLong ? "clip-two" : "clip"}>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          );
        })}
        {last < rows.length && (
          <Spacer height={(rows.length - last) * height} columns={columns.length + (onSelect ? 1 : 0)} />
        )}
      </tbody>
    </table>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" class="table-spacer" style={{ height: `${height}px` }}>
      <td colSpan={columns} />
    </tr>
  );
}

function basisOf<Row>({ name, width, isLong, isLabelled }: Column<Row>, isWrapped: boolean): number {
  const basis = width ?? (isLong ? MIN_WIDTH.long : MIN_WIDTH.text);
  const labelled = Math.min(MIN_WIDTH.labelled, basis + name.length * LETTER_WIDTH);
  return isLabelled && isWrapped ? Math.max(basis, labelled) : basis;
}

/** The width of a column beside all others: what they leave is shared by those without a width of their own. */
function shareOf<Row>(column: Column<Row>, columns: readonly Column<Row>[], width: number): number {
  if (column.width) return column.width;
  const sum = (list: readonly Column<Row>[]) => list.reduce((total, one) => total + basisOf(one, false), 0);
  const basis = basisOf(column, false);
  return basis + ((width - sum(columns)) * basis) / sum(columns.filter((one) => !one.width));
}

/** The columns of each line of a row: all in one if they fit; else as many as fit, as the browser breaks a flexible box. */
function linesOf<Row>(columns: readonly Column<Row>[], width: number): Column<Row>[][] {
  const sum = (list: readonly Column<Row>[], isWrapped: boolean) =>
    list.reduce((total, one) => total + basisOf(one, isWrapped), 0);
  if (sum(columns, false) <= width) return [[...columns]];
  const lines: Column<Row>[][] = [[]];
  for (const column of columns) {
    const line = lines.at(-1)!;
    if (line.length > 0 && sum([...line, column], true) > width) lines.push([column]);
    else line.push(column);
  }
  return lines;
}

/** The width of the box around the table; a table itself can be wider than its box. */
function useWidth(table: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(innerWidth);
  useLayoutEffect(() => {
    const box = table.current?.parentElement;
    if (!box) return;
    const measure = () => setWidth(box.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The range of rows near the window; follows scrolling and resizing. */
function useVisibleRange(body: { current: HTMLElement | null }, count: number, height: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 60)]);
  useLayoutEffect(() => {
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - OVERSCAN_ROWS);
      const last = Math.min(count, Math.ceil((innerHeight - top) / height) + OVERSCAN_ROWS);
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, Math.max(first, last)]));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    const observer = new ResizeObserver(measure); // what stands above the table can grow and shrink
    observer.observe(document.body);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
      observer.disconnect();
    };
  }, [count, height]);
  return range;
}
