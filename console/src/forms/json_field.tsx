/** A value of any shape, written as JSON; what does not parse is kept and said. */
import { useEffect, useState } from "preact/hooks";
import { CodeField } from "./code_field";

interface Props {
  label: string;
  help: string;
  problem: string | undefined;
  value: unknown;
  /** Whether plain text is a value too, such as an expression. */
  takesText?: boolean;
  onInput: (value: unknown) => void;
}

export function JsonField({ label, help, problem, value, takesText = false, onInput }: Props) {
  const [text, setText] = useState(shown(value, takesText));
  const [wrong, setWrong] = useState<string>();
  useEffect(() => {
    // an undo changes the value from outside; what is being typed and means the same stays as it is
    const typed = read(text, takesText);
    if (typed && JSON.stringify(typed.value) !== JSON.stringify(value)) setText(shown(value, takesText));
  }, [value]);
  const change = (next: string) => {
    setText(next);
    const typed = read(next, takesText);
    setWrong(typed ? undefined : "This is not JSON yet.");
    if (typed) onInput(typed.value);
  };
  return <CodeField label={label} help={help} problem={wrong ?? problem} value={text} language="json" onInput={change} />;
}

function shown(value: unknown, takesText: boolean): string {
  if (value === undefined) return "";
  return takesText && typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** What a text stands for; undefined while it is not JSON. A template alone is a value too. */
function read(text: string, takesText: boolean): { value: unknown } | undefined {
  if (text.trim() === "") return { value: undefined };
  const isTemplate = /^\s*\{\{[^{]*\}\}\s*$/.test(text);
  if (isTemplate || (takesText && !/^\s*[[{]/.test(text))) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
