/** A field for a JSON value; text that does not parse yet is a value too, so that no reload loses it. */
import { useEffect, useState } from "preact/hooks";
import { CodeField } from "./code_field";

interface Props {
  label: string;
  help: string;
  problem: string | undefined;
  required?: boolean;
  value: unknown;
  /** Whether plain text, such as an expression, is a value too. */
  allowsText?: boolean;
  onInput: (value: unknown) => void;
}

export function JsonField({ label, help, problem, required = false, value, allowsText = false, onInput }: Props) {
  const [text, setText] = useState(format(value, allowsText));
  useEffect(() => {
    // an undo changes the value from outside; text that already means the same value is not reformatted
    if (JSON.stringify(valueOf(text, allowsText)) !== JSON.stringify(value)) setText(format(value, allowsText));
  }, [value]);
  const change = (next: string) => {
    setText(next);
    onInput(valueOf(next, allowsText));
  };
  const parseProblem = parse(text, allowsText) ? undefined : "This is not valid JSON.";
  return (
    <CodeField
      label={label}
      help={help}
      problem={parseProblem ?? problem}
      required={required}
      value={text}
      language="json"
      onInput={change}
    />
  );
}

function valueOf(text: string, allowsText: boolean): unknown {
  const parsed = parse(text, allowsText);
  return parsed ? parsed.value : text;
}

function format(value: unknown, allowsText: boolean): string {
  if (value === undefined) return "";
  return typeof value === "string" && valueOf(value, allowsText) === value ? value : JSON.stringify(value, null, 2);
}

/** The value of a text; undefined if it is not JSON. A single template is a value too. */
function parse(text: string, allowsText: boolean): { value: unknown } | undefined {
  if (text.trim() === "") return { value: undefined };
  const isTemplate = /^\s*\{\{[^{]*\}\}\s*$/.test(text);
  if (isTemplate || (allowsText && !/^\s*[[{]/.test(text))) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
