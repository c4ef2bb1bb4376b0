/** A value of any shape, written as JSON; what does not parse is kept and said. */
import { useState } from "preact/hooks";
import { TextField } from "../design/field";

interface Props {
  label: string;
  help: string;
  problem: string | undefined;
  value: unknown;
  onInput: (value: unknown) => void;
}

export function JsonField({ label, help, problem, value, onInput }: Props) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState<string>();
  const change = (next: string) => {
    setText(next);
    if (next.trim() === "") {
      setWrong(undefined);
      onInput(undefined);
      return;
    }
    try {
      onInput(JSON.parse(next));
      setWrong(undefined);
    } catch {
      // a template or plain text is a value too
      if (next.includes("{{") && !/^[[{]/.test(next.trim().replace(/^\{\{/, ""))) {
        onInput(next);
        setWrong(undefined);
      } else setWrong("This is not JSON yet.");
    }
  };
  return <TextField label={label} help={help} problem={wrong ?? problem} value={text} onInput={change} rows={Math.min(12, Math.max(2, text.split("\n").length))} mono />;
}
