/** The dialog to choose a block kind: search by name, alias and purpose. */
import { useState } from "preact/hooks";
import { EmptyState } from "../../design/card";
import { Dialog } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Icon, type IconName } from "../../design/icon";
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
      {groupsOf(found, text).map(([title, list, icon]) => (
        <section key={title} aria-label={title || "Found"}>
          {title && (
            <h3 class="row">
              {icon && <Icon name={icon} />}
              {title}
            </h3>
          )}
          <ul class="kinds">
            {list.map((one) => (
              <li key={one.type}>
                <button type="button" class="kind" onClick={() => onPick(one)}>
                  <strong>
                    {one.label} {one.label !== one.title && <span class="small muted kind-title">{one.title}</span>}
                  </strong>
                  <span class="small muted">{one.purpose}</span>
                  {one.example && <span class="small mono clip">{one.example}</span>}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}

const GROUPS: readonly (readonly [group: string, title: string, icon: IconName])[] = [
  ["page", "On the page", "pick"],
  ["flow", "Branches, loops and waiting", "retry"],
  ["data", "Data and code", "executions"],
  ["documents", "Documents and files", "files"],
  ["outside", "Other services", "webhooks"],
];

type Group = readonly [title: string, kinds: readonly Kind[], icon?: IconName];

/** All kinds by group; what a search finds stays in its order, best first. */
function groupsOf(found: readonly Kind[], text: string): readonly Group[] {
  if (text.trim()) return [["", found]];
  const known = new Set<string>(GROUPS.map(([group]) => group));
  const others = found.filter((one) => !known.has(one.group));
  const groups = GROUPS.map(
    ([group, title, icon]) => [title, found.filter((one) => one.group === group), icon] as const,
  );
  return [...groups, ["More", others] as const].filter(([, list]) => list.length > 0);
}
