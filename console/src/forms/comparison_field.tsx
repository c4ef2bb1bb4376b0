/** An expression that compares two values, by its parts: "params.amount > 100". */
import { SelectField, TextField } from "../design/field";

export interface Comparison {
  readonly left: string;
  readonly operator: string;
  readonly right: string;
}

const OPERATORS = [
  ["==", "equals"],
  ["!=", "does not equal"],
  [">", "is greater than"],
  [">=", "is at least"],
  ["<", "is less than"],
  ["<=", "is at most"],
] as const;
const PARTS =
  /^\s*([A-Za-z_][\w.-]*)\s*(==|!=|>=|<=|>|<)\s*(-?\d+(?:\.\d+)?|true|false|null|"(?:[^"\\]|\\.)*"|'[^'\\]*'|[A-Za-z_][\w-]*(?:\.[\w-]+)+)\s*$/;

/** The parts of an expression; undefined if it is more than a comparison. */
export function parseComparison(expression: string): Comparison | undefined {
  const [, left, operator, right] = PARTS.exec(expression) ?? [];
  if (left === undefined || operator === undefined || right === undefined) return undefined;
  return {
    left,
    operator,
    right: right.startsWith('"') ? String(JSON.parse(right)) : right.startsWith("'") ? right.slice(1, -1) : right,
  };
}

/** The expression: numbers, true, false, null and names as they are, other text in quotes. */
export function formatComparison({ left, operator, right }: Comparison, names: readonly string[]): string {
  const isBare = /^(-?\d+(\.\d+)?|true|false|null)$/.test(right) || names.includes(right);
  return `${left} ${operator} ${isBare ? right : JSON.stringify(right)}`;
}

export function ComparisonField({
  value,
  names,
  problem,
  onInput,
}: {
  value: string;
  names: readonly string[];
  problem: string | undefined;
  onInput: (expression: string) => void;
}) {
  const parts = parseComparison(value) ?? { left: "", operator: "==", right: "" };
  const set = (change: Partial<Comparison>) => onInput(formatComparison({ ...parts, ...change }, names));
  return (
    <div class="parameter">
      <TextField
        label="Value"
        list={names}
        value={parts.left}
        onInput={(left) => set({ left: left.replace(/^\{\{\s*|\s*\}\}$/g, "") })}
        problem={problem}
      />
      <SelectField
        label="Comparison"
        value={parts.operator}
        onInput={(operator) => set({ operator })}
        options={OPERATORS}
      />
      <TextField label="Compared with" list={names} value={parts.right} onInput={(right) => set({ right })} />
    </div>
  );
}
