/** A text field that completes templates: `{{` offers the names there are. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Prose } from "../design/prose";

interface Props {
  label: string;
  help?: ComponentChildren;
  problem?: string | undefined;
  value: string;
  names: readonly string[];
  placeholder?: string;
  isLong?: boolean;
  onInput: (value: string) => void;
}

const SHOWN = 8;

export function TemplateField({ label, help, problem, value, names, placeholder, isLong = false, onInput }: Props) {
  const id = useId();
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [begun, setBegun] = useState<string>();
  const [active, setActive] = useState(0);
  const offered = begun === undefined ? [] : names.filter((one) => one.toLowerCase().includes(begun.toLowerCase())).slice(0, SHOWN);

  const look = () => {
    const at = box.current?.selectionStart ?? 0;
    const before = box.current?.value.slice(0, at) ?? "";
    const open = /\{\{\s*([\w.-]*)$/.exec(before);
    setBegun(open ? open[1] : undefined);
    setActive(0);
  };
  const take = (name: string) => {
    const element = box.current;
    if (!element) return;
    const at = element.selectionStart ?? 0;
    const start = element.value.lastIndexOf("{{", at - 1);
    const rest = element.value.slice(at).replace(/^\}\}/, "");
    onInput(`${element.value.slice(0, start)}{{${name}}}${rest}`);
    setBegun(undefined);
    element.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (offered.length === 0) return;
    if (event.key === "ArrowDown") setActive((active + 1) % offered.length);
    else if (event.key === "ArrowUp") setActive((active - 1 + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offered[active] ?? "");
    else if (event.key === "Escape") setBegun(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shared = {
    id,
    ref: box,
    class: isLong ? "control mono" : "control",
    value,
    placeholder,
    role: (names.length ? "combobox" : undefined) as "textbox",
    "aria-expanded": names.length ? offered.length > 0 : undefined,
    "aria-controls": offered.length ? `${id}-names` : undefined,
    "aria-activedescendant": offered.length ? `${id}-${active}` : undefined,
    "aria-autocomplete": names.length ? ("list" as const) : undefined,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ") || undefined,
    onKeyDown,
    onBlur: () => setTimeout(() => setBegun(undefined), 150),
    onInput: (event: { currentTarget: { value: string } }) => {
      onInput(event.currentTarget.value);
      look();
    },
  };
  return (
    <div class="field template-field">
      <label for={id}>{label}</label>
      {isLong || value.includes("\n") ? <textarea {...shared} rows={Math.min(14, Math.max(3, value.split("\n").length + 1))} /> : <input {...shared} type="text" autocomplete="off" />}
      {offered.length > 0 && (
        <ul class="names" id={`${id}-names`} role="listbox" aria-label="Names">
          {offered.map((one, index) => (
            <li key={one} id={`${id}-${index}`} role="option" aria-selected={index === active} onMouseDown={(event) => event.preventDefault()} onClick={() => take(one)}>
              {one}
            </li>
          ))}
        </ul>
      )}
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {typeof help === "string" ? <Prose text={help} /> : help}
        </div>
      )}
      {problem && (
        <div class="field-problem" id={`${id}-problem`} role="alert">
          <Prose text={problem} />
        </div>
      )}
    </div>
  );
}
