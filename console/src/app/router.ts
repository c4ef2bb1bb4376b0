/** Addresses: every view has one, filters included, so that back, reload and a pasted link work. */
import { computed, signal } from "@preact/signals";

interface Address {
  readonly path: string;
  readonly query: URLSearchParams;
}

const current = signal<Address>(read());

export const path = computed(() => current.value.path);
export const query = computed(() => current.value.query);

function read(): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Go to another address; `replace` leaves no trace in the history. */
export function go(to: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  current.value = read();
  if (!replace) scrollTo(0, 0);
}

/** Change some of the filters in the address; an empty value takes one out. */
export function setQuery(changes: Record<string, string>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  go(location.pathname + (text ? `?${text}` : ""), { replace: true });
}

/** Follow links inside the console without loading the page anew. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    current.value = read();
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a[href]");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!(link instanceof HTMLAnchorElement) || !isPlain || event.defaultPrevented) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (!isOurs(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}

const OUTSIDE = ["/docs", "/openapi.json", "/files/", "/live/", "/metrics"];

function isOurs(pathname: string): boolean {
  return !OUTSIDE.some((one) => pathname.startsWith(one));
}

/** Match `/executions/:id` against a path; the named parts, or undefined. */
export function match(pattern: string, at: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = at.replace(/\/$/, "").split("/");
  if (at === "/") given.length = 2;
  if (at === "/") given[1] = "";
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return found;
}
