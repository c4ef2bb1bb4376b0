/** A read-only view of a JSON value; deep levels are folded. */
import { useState } from "preact/hooks";
import { Button } from "./button";
import { copyText } from "./copy_text";
import { saveText } from "./download";
import { formatCount } from "./format";
import { notify } from "./notice";

const OPEN_DEPTH = 2;
const PAGE_SIZE = 200;

export function JsonView({ value, name = "value" }: { value: unknown; name?: string }) {
  const text = () => JSON.stringify(value, null, 2) ?? "null";
  return (
    <div class="json">
      <div class="row json-tools">
        <Button
          icon="copy"
          kind="quiet"
          onPress={async () => {
            await copyText(text());
            notify("Copied.");
          }}
        >
          Copy
        </Button>
        <Button icon="download" kind="quiet" onPress={() => saveText(text(), `${name}.json`)}>
          Download
        </Button>
      </div>
      <div class="json-body">
        <Value value={value} depth={0} />
      </div>
    </div>
  );
}

function Value({ value, depth }: { value: unknown; depth: number }) {
  if (value !== null && typeof value === "object") return <Branch value={value} depth={depth} />;
  return <span class={`json-${value === null ? "null" : typeof value}`}>{JSON.stringify(value)}</span>;
}

function Branch({ value, depth }: { value: object; depth: number }) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [shown, setShown] = useState(PAGE_SIZE);
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  if (entries.length === 0) return <span>{isList ? "[]" : "{}"}</span>;
  return (
    <details class="json-branch" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{formatCount(entries.length, isList ? "item" : "field")}</summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, one]) => (
            <li key={key}>
              <span class="json-key">{key}</span>: <Value value={one} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <Button kind="quiet" onPress={() => setShown(shown + PAGE_SIZE)}>
                {`Show ${Math.min(PAGE_SIZE, entries.length - shown)} more of ${entries.length}`}
              </Button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
