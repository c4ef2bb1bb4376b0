/** Form controls with a label, a line of help and a validation problem. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFieldProblem } from "./problem_scope";
import { TextWithCode } from "./text_with_code";

interface CommonProps {
  label: string;
  help?: ComponentChildren;
  problem?: string | undefined;
  hideLabel?: boolean;
  required?: boolean;
  /** Where the request has the value; the service's problem with it stands here. */
  path?: string;
}

function FieldFrame({
  label,
  help,
  problem,
  hideLabel,
  required,
  id,
  children,
}: CommonProps & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id} class={labelClass(required, hideLabel)}>
        {label}
      </label>
      {children}
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {typeof help === "string" ? <TextWithCode text={help} /> : help}
        </div>
      )}
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  );
}

const WARNING = "Check this: ";

/** A problem that does not keep the value from being saved. */
export function warningText(message: string): string {
  return WARNING + message;
}

/** `aria-invalid` of a field: a warning does not make it wrong. */
export function isInvalid(problem: string | undefined): true | undefined {
  return problem && !problem.startsWith(WARNING) ? true : undefined;
}

/** What is wrong with a field, or doubtful. */
export function FieldProblem({ id, text }: { id?: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <div
      id={id}
      class={isInvalid(text) ? "field-problem" : "field-warning"}
      role={isInvalid(text) ? "alert" : "status"}
    >
      <TextWithCode text={text} />
    </div>
  );
}

/** A required field is marked by style, so that its name stays the label alone. */
export function labelClass(isRequired: boolean | undefined, isHidden = false): string {
  return isHidden ? "sr-only" : isRequired ? "required" : "";
}

function describedBy({ help, problem }: CommonProps, id: string): string | undefined {
  return [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ") || undefined;
}

interface TextProps extends CommonProps {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "search" | "password" | "number" | "url" | "email" | "date" | "datetime-local" | "time";
  placeholder?: string;
  autoComplete?: string;
  inputMode?: "text" | "numeric" | "url" | "email";
  rows?: number;
  mono?: boolean;
  list?: readonly string[];
}

export function TextField({ problem: own, ...others }: TextProps) {
  const id = useId();
  const problem = useFieldProblem(others.label, others.path, own);
  const props = { ...others, problem };
  const { value, onInput, type = "text", placeholder, required, autoComplete, inputMode, rows, mono, list } = props;
  const shared = {
    id,
    value,
    placeholder,
    "aria-required": required,
    "aria-invalid": isInvalid(problem),
    "aria-describedby": describedBy(props, id),
    class: mono ? "control mono" : "control",
  };
  return (
    <FieldFrame {...props} id={id}>
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
    </FieldFrame>
  );
}

interface SelectProps<T extends string> extends CommonProps {
  value: T;
  onInput: (value: T) => void;
  options: readonly (readonly [value: T, label: string])[];
}

export function SelectField<T extends string>({ problem: own, ...others }: SelectProps<T>) {
  const id = useId();
  const problem = useFieldProblem(others.label, others.path, own);
  const props = { ...others, problem };
  const { value, onInput, options, required } = props;
  return (
    <FieldFrame {...props} id={id}>
      <select
        id={id}
        class="control"
        value={value}
        aria-required={required}
        aria-invalid={isInvalid(problem)}
        aria-describedby={describedBy(props, id)}
        onChange={(event) => onInput(event.currentTarget.value as T)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
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
        aria-invalid={isInvalid(problem)}
        onChange={(event) => onInput(event.currentTarget.checked)}
      />
      <label for={id} class={hideLabel ? "sr-only" : ""}>
        {label}
      </label>
      {help && (
        <div class="field-help" id={`${id}-help`}>
          {typeof help === "string" ? <TextWithCode text={help} /> : help}
        </div>
      )}
      <FieldProblem text={problem} />
    </div>
  );
}
