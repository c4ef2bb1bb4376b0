/** How much of a file has arrived at the service. */
export interface Transfer {
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
}

export function Sending({ name, part }: Transfer) {
  const percent = Math.round(100 * part);
  return (
    <div class="progress-line sending">
      <div class="progress" role="progressbar" aria-label={`Sending ${name}`} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
        <span class="progress-done" style={{ width: `${percent}%` }} />
      </div>
      <span class="small muted">{percent < 100 ? `${percent} %` : "Storing…"}</span>
    </div>
  );
}
