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
      <ul class="kinds">
        {found.map((one) => (
          <li key={one.type}>
            <button type="button" class="kind" onClick={() => onPick(one)}>
              <strong>{one.title}</strong>
              <span class="small muted">{one.purpose}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
