/** Keyboard shortcuts: `?` lists them, `/` searches, `g` and a letter opens a view. */
import { signal } from "@preact/signals";
import { Dialog } from "../design/dialog";
import { navigate } from "./router";
import { showSearch } from "./search";

const VIEWS: Record<string, readonly [path: string, name: string]> = {
  o: ["/", "Overview"],
  e: ["/executions", "Executions"],
  w: ["/workflows", "Workflows"],
  a: ["/attention", "Attention"],
  l: ["/logins", "Logins"],
  b: ["/batches", "Batches"],
  s: ["/schedules", "Schedules"],
};
const SECOND_KEY_MS = 1200;
const isDialogOpen = signal(false);
let gPressedAt = -Infinity;

export function startShortcuts(): void {
  document.addEventListener("keydown", (event) => {
    const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    if (isSearch && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      showSearch();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const isSecondKey = event.timeStamp - gPressedAt < SECOND_KEY_MS;
    gPressedAt = event.key === "g" ? event.timeStamp : -Infinity;
    if (event.key === "?") showShortcuts();
    else if (event.key === "/") focusSearch(event);
    else if (isSecondKey && VIEWS[event.key]) navigate(VIEWS[event.key]![0]);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], .cm-editor, canvas") !== null
  );
}

function focusSearch(event: KeyboardEvent): void {
  event.preventDefault();
  const searchBox = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (searchBox) searchBox.focus();
  else showSearch(); // without leaving the view
}

export function showShortcuts(): void {
  isDialogOpen.value = true;
}

export function ShortcutsDialog() {
  if (!isDialogOpen.value) return null;
  const rows: readonly (readonly [string, string])[] = [
    ["?", "Show this list"],
    ["/", "Search in this view"],
    ["Ctrl K", "Search everything"],
    ...Object.entries(VIEWS).map(([key, [, name]]) => [`g ${key}`, `Go to ${name}`] as const),
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isDialogOpen.value = false)}>
      <table class="keys">
        <tbody>
          {rows.map(([key, effect]) => (
            <tr key={key}>
              <td>
                <kbd>{key}</kbd>
              </td>
              <td>{effect}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
