/** The dialog before a run: what the blocks take, the login, and whether it counts. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Dialog } from "../../design/dialog";
import { CheckField, SelectField } from "../../design/field";
import type { Draft } from "./draft";
import { ParameterFields, paramsOf, type Values } from "./parameter_fields";
import { columnsRead, undeclaredParameters } from "./used_parameters";

export interface RunSettings {
  readonly params: Record<string, unknown>;
  readonly loginId?: string;
  readonly isTest: boolean;
  readonly trace: boolean;
}

interface Props {
  title: string;
  draft: Draft;
  /** Whether to ask what only an execution of its own has. */
  isExecution: boolean;
  onRun: (settings: RunSettings) => Promise<unknown>;
  onClose: () => void;
}

interface Typed {
  readonly values: Values;
  readonly loginId: string;
}

/** What was typed for a draft: the next dialog begins with it, also after a reload, then without secrets. */
const typedFor = new WeakMap<Draft, Typed>();

function keepTyped(draft: Draft, typed: Typed): void {
  typedFor.set(draft, typed);
  const secrets = new Set(draft.content.peek().parameters.flatMap((one) => (one.isSecret ? [one.name] : [])));
  const values = Object.fromEntries(Object.entries(typed.values).filter(([name]) => !secrets.has(name)));
  try {
    sessionStorage.setItem(storageKey(), JSON.stringify({ ...typed, values }));
  } catch {
    sessionStorage.removeItem(storageKey()); // too large to be kept
  }
}

function typedBefore(draft: Draft): Typed {
  const stored = sessionStorage.getItem(storageKey());
  return typedFor.get(draft) ?? (stored ? (JSON.parse(stored) as Typed) : { values: {}, loginId: "" });
}

function storageKey(): string {
  return `pagehand.run.${location.pathname}`;
}

export function RunDialog({ title, draft, isExecution, onRun, onClose }: Props) {
  const [typed, setTyped] = useState(() => typedBefore(draft));
  const { values } = typed;
  const change = (next: Partial<Typed>) => {
    setTyped({ ...typed, ...next });
    keepTyped(draft, { ...typed, ...next });
  };
  const [isTest, setTest] = useState(false);
  const [trace, setTrace] = useState(false);
  const logins = useQuery("logins", () => call("/logins/list", {}), { nouns: ["login"] }).value?.logins ?? [];
  const loginId = logins.some((one) => one.id === typed.loginId) ? typed.loginId : "";
  const { parameters, blocks } = draft.content.value;
  const undeclared = undeclaredParameters(draft.content.value);
  const fields = {
    values,
    onChange: (next: Values) => change({ values: next }),
    columnsOf: (name: string) => columnsRead(blocks, name),
  };
  const run = () =>
    onRun({
      params: paramsOf([...parameters, ...undeclared], values),
      isTest,
      trace,
      ...(loginId ? { loginId } : {}),
    });
  return (
    <Dialog title={title} onClose={onClose} wide={[...parameters, ...undeclared].some((one) => one.type === "array")}>
      <ParameterFields parameters={parameters} {...fields} />
      {undeclared.length > 0 && (
        <fieldset class="schema-group">
          <legend>Used by the blocks, not declared yet</legend>
          <ParameterFields parameters={undeclared} {...fields} />
          <Button
            needs="edit"
            kind="quiet"
            icon="plus"
            onPress={() => draft.edit({ parameters: [...parameters, ...undeclared] })}
          >
            Declare them as parameters
          </Button>
        </fieldset>
      )}
      {logins.length > 0 && (
        <SelectField
          label="Login"
          value={loginId}
          onInput={(next) => change({ loginId: next })}
          options={[["", "None"], ...logins.map((one) => [one.id, one.name] as const)]}
        />
      )}
      {isExecution && (
        <>
          <CheckField label="Test run" help="Not counted in the statistics." checked={isTest} onInput={setTest} />
          <CheckField
            label="Keep a trace"
            help="A file that opens in Playwright's trace viewer."
            checked={trace}
            onInput={setTrace}
          />
        </>
      )}
      <div class="row dialog-actions">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" icon="play" onPress={run}>
          {isExecution ? "Start" : "Run"}
        </Button>
      </div>
    </Dialog>
  );
}
