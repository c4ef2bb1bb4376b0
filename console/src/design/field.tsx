/** Form controls with a label, a line of help and, where it belongs, the problem. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Prose } from "./prose";

interface Common {
  label: string;
  help?: ComponentChildren;
  problem?: string | undefined;
  hideLabel?: boolean;
}

function Frame({ label, help, problem, hideLabel, id, children }: Common & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id} class={hideLabel ? "sr-only" : ""}>
        {label}
      </label>
      {children}
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

function described({ help, problem }: Common, id: string): string | undefined {
  return [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ") || undefined;
}

interface TextProps extends Common {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "search" | "password" | "number" | "url" | "email" | "date" | "datetime-local" | "time";
  placeholder?: string;
  required?: boolean;
  autoComplete?: string;
  inputMode?: "text" | "numeric" | "url" | "email";
  rows?: number;
  mono?: boolean;
  list?: readonly string[];
}

export function TextField(props: TextProps) {
  const id = useId();
  const { value, onInput, type = "text", placeholder, required, autoComplete, inputMode, rows, mono, list, problem } = props;
  const shared = {
    id,
    value,
    placeholder,
    required,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": described(props, id),
    class: mono ? "control mono" : "control",
  };
  return (
    <Frame {...props} id={id}>
      {rows ? (
        <textarea {...shared} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={type as "text"}
          autocomplete={autoComplete ?? "off"}
          inputMode={inputMode}
          list={list ? `${id}-list` : undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Frame>
  );
}

interface SelectProps extends Common {
  value: string;
  onInput: (value: string) => void;
  options: readonly (readonly [value: string, word: string])[];
}

export function SelectField(props: SelectProps) {
  const id = useId();
  const { value, onInput, options, problem } = props;
  return (
    <Frame {...props} id={id}>
      <select
        id={id}
        class="control"
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described(props, id)}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {options.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </Frame>
  );
}

interface CheckProps {
  label: string;
  checked: boolean;
  onInput: (checked: boolean) => void;
  help?: ComponentChildren;
  problem?: string | undefined;
  hideLabel?: boolean;
}

export function CheckField({ label, checked, onInput, help, problem, hideLabel }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={help ? `${id}-help` : undefined}
        aria-invalid={problem ? true : undefined}
        onChange={(event) => onInput(event.currentTarget.checked)}
      />
      <label for={id} class={hideLabel ? "sr-only" : ""}>
        {label}
      </label>
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {help}
        </div>
      )}
      {problem && (
        <div class="field-problem" role="alert">
          {problem}
        </div>
      )}
    </div>
  );
}
