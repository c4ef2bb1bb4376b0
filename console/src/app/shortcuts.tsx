/** The keyboard: `?` lists the keys, `/` searches, `g` and a letter goes to a view. */
import { signal } from "@preact/signals";
import { Dialog } from "../design/dialog";
import { go } from "./router";

const GOES: Record<string, readonly [to: string, word: string]> = {
  o: ["/", "Overview"],
  e: ["/executions", "Executions"],
  w: ["/workflows", "Workflows"],
  a: ["/attention", "Attention"],
  l: ["/logins", "Logins"],
  b: ["/batches", "Batches"],
  s: ["/schedules", "Schedules"],
};
const SECOND_KEY_MS = 1200;
const isListed = signal(false);
let wentAt = 0;

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") isListed.value = true;
    else if (event.key === "/") focusSearch(event);
    else if (event.key === "g") wentAt = event.timeStamp;
    else if (event.timeStamp - wentAt < SECOND_KEY_MS && GOES[event.key]) {
      wentAt = 0;
      go(GOES[event.key]![0]);
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], .cm-editor, canvas") !== null;
}

function focusSearch(event: KeyboardEvent): void {
  event.preventDefault();
  const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (box) box.focus();
  else go("/executions?focus=search");
}

export function showKeys(): void {
  isListed.value = true;
}

export function KeyList() {
  if (!isListed.value) return null;
  const rows: readonly (readonly [string, string])[] = [
    ["?", "Show this list"],
    ["/", "Search"],
    ...Object.entries(GOES).map(([key, [, word]]) => [`g ${key}`, `Go to ${word}`] as const),
  ];
  return (
    <Dialog title="Keys" onClose={() => (isListed.value = false)}>
      <table class="keys">
        <tbody>
          {rows.map(([key, word]) => (
            <tr key={key}>
              <td>
                <kbd>{key}</kbd>
              </td>
              <td>{word}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
