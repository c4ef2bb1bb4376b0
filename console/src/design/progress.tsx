/** A progress bar with the shares that completed and failed. */
export function Progress({
  label,
  done,
  failed,
  total,
}: {
  label: string;
  done: number;
  failed: number;
  total: number;
}) {
  const share = (count: number) => `${total ? (100 * count) / total : 0}%`;
  return (
    <div class="progress-line">
      <div
        class="progress"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done + failed}
      >
        <span class="progress-done" style={{ width: share(done) }} />
        <span class="progress-failed" style={{ width: share(failed) }} />
      </div>
      <span class="small muted">
        {done + failed} of {total}
        {failed > 0 && `, ${failed} failed`}
      </span>
    </div>
  );
}
