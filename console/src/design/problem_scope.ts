/** Where a failed action says why: beside the field that the service names, else at the end of the dialog. */
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { errorMessage } from "../api/client";
import { labelOf } from "./format";

/** A message of the service that begins with the path of a field: "`rows[0].amount`: expected a number". */
const AT_FIELD = /^`([\w.[\]-]+)`(:?)\s*(.*)$/s;

export class ProblemScope {
  readonly message = signal("");
  /** The fields of the form: their labels by the path of their value. */
  private readonly fields = new Map<string, string>();

  report(error: unknown): void {
    this.message.value = errorMessage(error);
  }

  clear(): void {
    this.message.value = "";
  }

  add(path: string, label: string): () => void {
    this.fields.set(path, label);
    return () => this.fields.delete(path);
  }

  /** The problem of one field, in words. */
  of(path: string, label: string): string | undefined {
    const message = this.message.value;
    return message && this.place() === path
      ? messageInWords(message, label).replaceAll(
          /`([\w.[\]-]+)`/g,
          (code, named: string) => this.fields.get(this.fieldAt(named) ?? "") ?? code,
        )
      : undefined;
  }

  /** The problem that no field of the form shows. */
  get rest(): string {
    if (this.place() !== undefined) return "";
    const parsed = AT_FIELD.exec(this.message.value);
    if (!parsed) return this.message.value;
    const label = labelOf(parsed[1]!.split(/[.[]/).at(-1)!);
    return parsed[2] ? `${label}: ${parsed[3]!}` : inWords(parsed, label);
  }

  /** The field that shows the message: the one before the colon that begins it, else the last one that it names. */
  private place(): string | undefined {
    const parsed = AT_FIELD.exec(this.message.value);
    if (parsed?.[2]) return this.fieldAt(parsed[1]!);
    return [...this.message.value.matchAll(/`([\w.[\]-]+)`/g)]
      .map((one) => this.fieldAt(one[1]!))
      .findLast((one) => one !== undefined);
  }

  private fieldAt(named: string): string | undefined {
    return [...this.fields.keys()].find((path) => named === path || named.endsWith(`.${path}`));
  }
}

/** The scope of the dialog around a component; undefined on a page, where messages appear at the edge of the screen. */
export const DialogProblems = createContext<ProblemScope | undefined>(undefined);

/** The problem of a field: its own, or what the service says about the value at `path`. */
export function useFieldProblem(label: string, path: string | undefined, own: string | undefined): string | undefined {
  const scope = useContext(DialogProblems);
  useEffect(() => (path ? scope?.add(path, label) : undefined), [path, label]);
  return own ?? (path ? scope?.of(path, label) : undefined);
}

/** The message of an error without the path of a field that begins it. */
export function messageInWords(message: string, label: string): string {
  const parsed = AT_FIELD.exec(message);
  return parsed ? inWords(parsed, label) : message;
}

function inWords([, , colon, rest]: RegExpExecArray, label: string): string {
  const text = colon ? rest! : `${label} ${rest!}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
