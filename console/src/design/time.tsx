/** Times and durations as people say them; the exact time is in the title. */
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "3 minutes ago", "in 2 hours". */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return Math.abs(seconds) < 10 ? "just now" : relative.format(Math.round(seconds), "second");
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** "420 ms", "12.3 s", "4 min 5 s", "2 h 10 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function Time({ iso }: { iso: string | null | undefined }) {
  if (!iso) return <span class="muted">–</span>;
  return (
    <time dateTime={iso} title={exact.format(new Date(iso))}>
      {ago(iso)}
    </time>
  );
}
