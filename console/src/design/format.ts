/** Numbers, sizes, rates and durations as text. */

/** "12,000". */
export function formatNumber(value: number): string {
  return value.toLocaleString("en");
}

/** "1 row", "12,000 rows". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "12 kB", "3.4 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A rate between 0 and 1 as "85 %". */
export function formatPercent(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? "–" : `${Math.round(rate * 100)} %`;
}

/** "420 ms", "12.3 s", "4 min 5 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A JSON value as one line: text as it is, nothing for null, JSON for objects and lists. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const ABBREVIATION = /\b(ai|api|css|csv|html|http|id|json|pdf|url|xpath)\b/g;

/** `skipIfNotPresent` → "Skip if not present", `pdfUrl` → "PDF URL". */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(ABBREVIATION, (one) => (one === "xpath" ? "XPath" : one.toUpperCase()));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A message of the service in the words of the form: `data.timeoutMs` → “Timeout ms”. */
export function inWordsOfTheForm(message: string): string {
  return message.replaceAll(/`(?:data|locator)\.([A-Za-z]+)`/g, (_, name: string) => `“${labelOf(name)}”`);
}

/** "Fields" → "Field", "To addresses" → "To address", "Queries" → "Query". */
export function singular(label: string): string {
  return label.replace(/(ss)es$|(i)es$|([^s])s$/, (_, ss: string, y: string, one: string) => ss ?? (y ? "y" : one));
}

/** "Role “button”, name “Save”". */
export function locatorInWords(locator: object): string {
  const parts = Object.entries(locator).map(([field, value]) => `${labelOf(field)} “${formatValue(value)}”`);
  return parts.join(", ") || "–";
}
