/** A field for code or JSON; the editor is loaded after the form is shown. */
import { useEffect, useId, useRef } from "preact/hooks";
import { FieldProblem, labelClass } from "../design/field";
import { TextWithCode } from "../design/text_with_code";
import type { CodeEditor, Language } from "./code_editor";

interface Props {
  label: string;
  help?: string;
  problem?: string | undefined;
  required?: boolean;
  value: string;
  language: Language;
  onInput: (value: string) => void;
}

export function CodeField({ label, help, problem, required, value, language, onInput }: Props) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const latest = useRef({ value, onInput });
  latest.current = { value, onInput };
  useEffect(() => {
    let isUnmounted = false;
    void import("./code_editor").then(({ CodeEditor }) => {
      if (isUnmounted || !host.current) return;
      editor.current = new CodeEditor(host.current, latest.current.value, language, label, (text) => {
        if (text !== latest.current.value) latest.current.onInput(text);
      });
    });
    return () => {
      isUnmounted = true;
      editor.current?.close();
      editor.current = undefined;
    };
  }, [language, label]);
  useEffect(() => {
    if (editor.current) editor.current.text = value;
  }, [value]);
  return (
    <div class="field">
      <span class={`field-label ${labelClass(required)}`} id={id}>
        {label}
      </span>
      <div ref={host} class="code-field" />
      {help && (
        <div class="field-help">
          <TextWithCode text={help} />
        </div>
      )}
      <FieldProblem text={problem} />
    </div>
  );
}

/** The language to highlight: Python unless the code looks like JavaScript. */
export function languageOf(code: string): Language {
  return /=>|\b(const|let|function|await|return)\b.*[;{]|^\s*\/\//m.test(code) ? "javascript" : "python";
}
