/** The dialog to choose a block kind: search by name, alias and purpose. */
import { useState } from "preact/hooks";
import { EmptyState } from "../../design/card";
import { Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import type { Kind, Kinds } from "./kinds";

interface Props {
  kinds: Kinds;
  onPick: (kind: Kind) => void;
  onClose: () => void;
}

export function KindPicker({ kinds, onPick, onClose }: Props) {
  const [text, setText] = useState("");
  const found = kinds.search(text);
  return (
    <Dialog title="Insert a block" onClose={onClose} wide>
      <div
        onKeyDown={(event) => {
          if (event.key === "Enter" && found[0] && event.target instanceof HTMLInputElement) onPick(found[0]);
        }}
      >
        <TextField
          label="Search kinds"
          type="search"
          value={text}
          onInput={setText}
          placeholder="click, read a table, send mail …"
        />
      </div>
      {found.length === 0 && <EmptyState title={`No block kind matches “${text}”.`} />}
      {groupsOf(found, text).map(([title, list]) => (
        <section key={title} aria-label={title || "Found"}>
          {title && <h3>{title}</h3>}
          <ul class="kinds">
            {list.map((one) => (
              <li key={one.type}>
                <button type="button" class="kind" onClick={() => onPick(one)}>
                  <strong>{one.title}</strong>
                  <span class="small muted">{one.purpose}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}

const GROUPS = [
  ["page", "On the page"],
  ["flow", "Branches, loops and waiting"],
  ["data", "Data and code"],
  ["documents", "Documents and files"],
  ["outside", "Other services"],
] as const;

/** All kinds by group; what a search finds stays in its order, best first. */
function groupsOf(found: readonly Kind[], text: string): readonly (readonly [string, readonly Kind[]])[] {
  if (text.trim()) return [["", found]];
  const known = new Set<string>(GROUPS.map(([group]) => group));
  const others = found.filter((one) => !known.has(one.group));
  const groups = GROUPS.map(([group, title]) => [title, found.filter((one) => one.group === group)] as const);
  return [...groups, ["More", others] as const].filter(([, list]) => list.length > 0);
}
