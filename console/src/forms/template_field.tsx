/** A text field with completion: `{{` suggests the names that templates may use, and `Insert` lists them. */
import { createContext, type ComponentChildren } from "preact";
import { useContext, useId, useRef, useState } from "preact/hooks";
import { Button } from "../design/button";
import { FieldProblem, isInvalid, labelClass } from "../design/field";
import { TextWithCode } from "../design/text_with_code";

interface Props {
  label: string;
  help?: ComponentChildren;
  problem?: string | undefined;
  required?: boolean;
  value: string;
  names: readonly string[];
  placeholder?: string;
  isLong?: boolean;
  onInput: (value: string) => void;
  /** Called when the field is left. */
  onLeave?: ((value: string) => void) | undefined;
  /** Declares a parameter with the field's value as its default, and returns its name. */
  makeParameter?: (() => string | undefined) | undefined;
}

/** Knows what names stood for when they were last used. */
export const SampleSource = createContext<{ load: () => Promise<void>; textOf: (name: string) => string } | null>(null);

const MAX_SUGGESTIONS = 8;

export function TemplateField({
  label,
  help,
  problem,
  required,
  value,
  names,
  placeholder,
  isLong = false,
  onInput,
  onLeave,
  makeParameter,
}: Props) {
  const id = useId();
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [prefix, setPrefix] = useState<string>();
  const [active, setActive] = useState(0);
  const [isListed, setListed] = useState(false);
  const samples = useContext(SampleSource);
  const suggestions =
    prefix === undefined
      ? []
      : names.filter((one) => one.toLowerCase().includes(prefix.toLowerCase())).slice(0, MAX_SUGGESTIONS);

  const updateSuggestions = () => {
    const at = box.current?.selectionStart ?? 0;
    const before = box.current?.value.slice(0, at) ?? "";
    const open = /\{\{\s*([\w.-]*)$/.exec(before);
    setPrefix(open ? open[1] : undefined);
    setActive(0);
  };
  const complete = (name: string) => {
    const element = box.current;
    if (!element) return;
    const at = element.selectionStart ?? 0;
    const start = element.value.lastIndexOf("{{", at - 1);
    const rest = element.value.slice(at).replace(/^\}\}/, "");
    onInput(`${element.value.slice(0, start)}{{${name}}}${rest}`);
    setPrefix(undefined);
    element.focus();
  };
  /** Put a template where the cursor is. */
  const insert = (name: string) => {
    const element = box.current;
    const [start, end] = [element?.selectionStart ?? value.length, element?.selectionEnd ?? value.length];
    onInput(`${value.slice(0, start)}{{${name}}}${value.slice(end)}`);
    setListed(false);
    element?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.length === 0) return;
    if (event.key === "ArrowDown") setActive((active + 1) % suggestions.length);
    else if (event.key === "ArrowUp") setActive((active - 1 + suggestions.length) % suggestions.length);
    else if (event.key === "Enter" || event.key === "Tab") complete(suggestions[active] ?? "");
    else if (event.key === "Escape") setPrefix(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isArea = isLong || value.includes("\n");
  const isCombobox = names.length > 0 && !isArea;
  const shared = {
    id,
    ref: box,
    class: isLong ? "control mono" : "control",
    value,
    placeholder,
    // a text area is no combobox: it only has suggestions
    role: (isCombobox ? "combobox" : undefined) as "textbox",
    "aria-expanded": isCombobox ? suggestions.length > 0 : undefined,
    "aria-controls": suggestions.length ? `${id}-names` : undefined,
    "aria-activedescendant": suggestions.length ? `${id}-${active}` : undefined,
    "aria-autocomplete": names.length ? ("list" as const) : undefined,
    "aria-required": required,
    "aria-invalid": isInvalid(problem),
    "aria-describedby":
      [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ") || undefined,
    onKeyDown,
    onBlur: () => {
      onLeave?.(value);
      setTimeout(() => setPrefix(undefined), 150);
    },
    onInput: (event: { currentTarget: { value: string } }) => {
      onInput(event.currentTarget.value);
      updateSuggestions();
    },
  };
  return (
    <div class="field template-field">
      <div class="row spread field-head">
        <label for={id} class={labelClass(required)}>
          {label}
        </label>
        <span class="row">
          {makeParameter && value !== "" && !value.includes("{{") && (
            <Button
              kind="quiet"
              needs="edit"
              title={`Make “${label}” a parameter`}
              onPress={() => onInput(`{{params.${makeParameter() ?? ""}}}`)}
            >
              Make a parameter
            </Button>
          )}
          {names.length > 0 && (
            <Button
              kind="quiet"
              title={`Insert into “${label}”`}
              expanded={isListed}
              onPress={async () => {
                setListed(!isListed);
                await samples?.load();
              }}
            >
              Insert
            </Button>
          )}
        </span>
      </div>
      {isListed && (
        <ul class="insert-list" aria-label={`What to insert into ${label}`}>
          {names.map((one) => (
            <li key={one}>
              <button type="button" class="mono small" onClick={() => insert(one)}>
                {one}
                {samples?.textOf(one) && <span class="muted"> {samples.textOf(one)}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
      {isArea ? (
        <textarea {...shared} rows={Math.min(14, Math.max(3, value.split("\n").length + 1))} />
      ) : (
        <input {...shared} type="text" autocomplete="off" />
      )}
      {suggestions.length > 0 && (
        <ul class="names" id={`${id}-names`} role="listbox" aria-label="Names">
          {suggestions.map((one, index) => (
            <li
              key={one}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(one)}
            >
              {one}
            </li>
          ))}
        </ul>
      )}
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {typeof help === "string" ? <TextWithCode text={help} /> : help}
        </div>
      )}
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  );
}
