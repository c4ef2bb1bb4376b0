/** `Ctrl K`: search over workflows, executions, logins, batches, files and actions, from any view.

A view adds what only it can open: the editor its blocks and its actions. */
import { signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { call } from "../api/client";
import { Dialog } from "../design/dialog";
import { navigate } from "./router";
import { isDark, theme } from "./theme";

export interface Hit {
  readonly group: string;
  readonly name: string;
  readonly more?: string | undefined;
  readonly open: () => void;
}

type Views = readonly (readonly [path: string, name: string, ...rest: unknown[]])[];

const MAX_HITS_PER_GROUP = 6;
const TYPING_PAUSE_MS = 200;
const isOpen = signal(false);
/** Reads what the open view adds. */
const ofView = signal<() => readonly Hit[]>(() => []);

export function showSearch(): void {
  isOpen.value = true;
}

/** Add hits as long as the view is open; they are read with every search. */
export function useInSearch(hits: () => readonly Hit[]): void {
  const latest = useRef(hits);
  latest.current = hits;
  useEffect(() => {
    ofView.value = () => latest.current();
    return () => void (ofView.value = () => []);
  }, []);
}

function actions(views: Views): readonly Hit[] {
  const to = (name: string, path: string): Hit => ({ group: "Actions", name, open: () => navigate(path) });
  const otherTheme = isDark.value ? "light" : "dark";
  return [
    to("New workflow", "/workflows?new=1"),
    ...views.map(([path, name]) => to(`Go to ${name}`, path)),
    { group: "Actions", name: `Use the ${otherTheme} theme`, open: () => (theme.value = otherTheme) },
  ];
}

/** Everything that is short enough to be read at once; a list that the session may not read is left out. */
async function readLists(): Promise<readonly Hit[]> {
  const lists = [
    call("/workflows/list", { limit: 1000 }).then(({ workflows }) =>
      workflows.map((one): Hit => hit("Workflows", one.name, `/workflows/${one.id}`)),
    ),
    call("/logins/list", {}).then(({ logins }) => logins.map((one) => hit("Logins", one.name, "/logins"))),
    call("/batches/list", { limit: 200 }).then(({ batches }) =>
      batches.map((one) => hit("Batches", one.name, `/batches/${one.id}`)),
    ),
  ];
  const read = await Promise.allSettled(lists);
  return read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

/** What the service searches: executions and files. */
async function findStored(text: string): Promise<readonly Hit[]> {
  const found = await Promise.allSettled([
    call("/executions/list", { search: [text], limit: MAX_HITS_PER_GROUP }).then(({ executions }) =>
      executions.map((one) =>
        hit("Executions", one.name ?? one.workflow.name, `/executions/${one.id}`, `${one.status}, ${one.id}`),
      ),
    ),
    call("/files/list", { search: text, limit: MAX_HITS_PER_GROUP, withoutResponses: true }).then(({ files }) =>
      files.map((one) => hit("Files", one.name, `/files?search=${encodeURIComponent(one.name)}`)),
    ),
  ]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

function hit(group: string, name: string, path: string, more?: string): Hit {
  return { group, name, more, open: () => navigate(path) };
}

/** `views` are the views to go to. */
export function SearchDialog({ views }: { views: Views }) {
  return isOpen.value ? <OpenDialog views={views} /> : null;
}

function OpenDialog({ views }: { views: Views }) {
  const id = useId();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const [lists, setLists] = useState<readonly Hit[]>([]);
  const [stored, setStored] = useState<readonly Hit[]>([]);
  useEffect(() => void readLists().then(setLists), []);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      if (text.trim()) void findStored(text.trim()).then((hits) => isCurrent && setStored(hits));
      else setStored([]);
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = [...ofView.value(), ...lists, ...actions(views)].filter((one) =>
    words.every((word) => `${one.name} ${one.more ?? ""}`.toLowerCase().includes(word)),
  );
  const all = [...matching, ...stored];
  const hits = all.filter((one) => all.filter(({ group }) => group === one.group).indexOf(one) < MAX_HITS_PER_GROUP);
  const at = Math.min(active, hits.length - 1);
  const open = (one: Hit | undefined) => {
    if (!one) return;
    isOpen.value = false;
    one.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setActive((at + 1) % Math.max(1, hits.length));
    else if (event.key === "ArrowUp") setActive((at - 1 + hits.length) % Math.max(1, hits.length));
    else if (event.key === "Enter") open(hits[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" onClose={() => (isOpen.value = false)} wide>
      <input
        type="search"
        class="control"
        role={"combobox" as "searchbox"}
        aria-label="Search everything"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
        placeholder="A workflow, an execution, a login, a batch, a file, a block of this workflow, an action …"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul class="search-hits" id={id} role="listbox" aria-label="Found">
        {hits.map((one, index) => (
          <li
            key={`${one.group} ${one.name} ${one.more ?? ""} ${index}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(one)}
          >
            <span>{one.name}</span> <span class="small muted">{[one.group, one.more].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p class="muted">{`Nothing matches “${text}”.`}</p>}
    </Dialog>
  );
}
