/** A progress bar for one upload. */
export interface UploadState {
  readonly name: string;
  /** From 0 to 1. */
  readonly fraction: number;
}

export function UploadProgress({ name, fraction }: UploadState) {
  const percent = Math.round(100 * fraction);
  return (
    <div class="progress-line sending">
      <div
        class="progress"
        role="progressbar"
        aria-label={`Uploading ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <span class="progress-done" style={{ width: `${percent}%` }} />
      </div>
      <span class="small muted">{percent < 100 ? `${percent} %` : "Storing…"}</span>
    </div>
  );
}
