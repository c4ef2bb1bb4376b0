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
    if (link.target || link.hasAttribute("download")) return;
    const address = viewAddress(link.href);
    if (!address) return;
    event.preventDefault();
    navigate(address);
  });
}

/** The patterns of the views' paths, such as `/executions/:id`. */
export const PATTERNS = [
  "/",
  "/sign-in",
  "/executions",
  "/executions/:id",
  "/workflows",
  "/workflows/:id",
  "/attention",
  "/logins",
  "/batches",
  "/batches/:id",
  "/schedules",
  "/webhooks",
  "/files",
  "/knowledge",
  "/settings",
] as const;

/** The whole URL of a view that `text` leads to; undefined for any other address, whoever wrote it. */
export function viewAddress(text: string): string | undefined {
  if (!URL.canParse(text, location.origin)) return undefined;
  const url = new URL(text, location.origin);
  if (url.origin !== location.origin || url.username || url.password || !matchView(url.pathname)) return undefined;
  // not a path put together from its parts: `/.//other.example` has the path `//other.example`, which is another address
  return url.href;
}

/** The pattern of the view at a path, and the named parts of the path. */
export function matchView(
  pathname: string,
): { pattern: (typeof PATTERNS)[number]; params: Record<string, string> } | undefined {
  for (const pattern of PATTERNS) {
    const params = match(pattern, pathname);
    if (params) return { pattern, params };
  }
  return undefined;
}

/** The address of a view that differs by a slash at the end, capital letters or the plural; ids are kept as they are. */
export function similarAddress(pathname: string): string | undefined {
  const [noun = "", ...rest] = pathname.split("/").filter(Boolean);
  return [noun, `${noun}s`, `${noun}es`]
    .map((one) => `/${[one.toLowerCase(), ...rest].join("/")}`)
    .find((address) => matchView(address));
}

function match(pattern: string, pathname: string): Record<string, string> | undefined {
  const expected = pattern.split("/");
  const actual = pathname.split("/");
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? "";
    if (part.startsWith(":") && ID.test(value)) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** Ids need no escapes in a path. */
const ID = /^[A-Za-z0-9_-]+$/;
