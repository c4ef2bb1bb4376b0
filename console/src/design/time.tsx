/** Relative times; the exact time is in the tooltip. */
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "3 minutes ago", "in 2 hours". */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return Math.abs(seconds) < 10 ? "just now" : relative.format(Math.round(seconds), "second");
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

export function Time({ iso }: { iso: string | null | undefined }) {
  if (!iso) return <span class="muted">–</span>;
  return (
    <time dateTime={iso} title={exact.format(new Date(iso))}>
      {relativeTime(iso)}
    </time>
  );
}
