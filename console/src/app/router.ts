/** The current address. Every view and its filters are in it, so back, reload and a pasted link work. */
import { computed, signal } from "@preact/signals";

interface Address {
  readonly path: string;
  readonly searchParams: URLSearchParams;
}

const current = signal<Address>(readAddress());

export const path = computed(() => current.value.path);
export const searchParams = computed(() => current.value.searchParams);

function readAddress(): Address {
  return { path: location.pathname, searchParams: new URLSearchParams(location.search) };
}

/** Open another address; `replace` adds no history entry. */
export function navigate(to: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  current.value = readAddress();
  if (!replace) scrollTo(0, 0);
}

/** Change some parameters of the address; an empty value removes one. */
export function setSearchParams(changes: Record<string, string>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  navigate(location.pathname + (text ? `?${text}` : ""), { replace: true });
}

/** Open links to other views without reloading the page. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    current.value = readAddress();
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a[href]");
    const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick || event.defaultPrevented) return;
    if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (!isView(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
}

const OTHER_PATHS = ["/docs", "/openapi.json", "/files/", "/live/", "/metrics"];

function isView(pathname: string): boolean {
  return !OTHER_PATHS.some((other) => pathname.startsWith(other));
}

/** Match a path against a pattern such as `/executions/:id`; the named parts, or undefined. */
export function match(pattern: string, pathname: string): Record<string, string> | undefined {
  const expected = pattern.split("/");
  const actual = pathname === "/" ? ["", ""] : pathname.replace(/\/$/, "").split("/");
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return params;
}
