/** Short messages at the edge of the screen. An error stays until it is closed, or until its cause is gone. */
import { signal } from "@preact/signals";
import { Button } from "./button";
import { TextWithCode } from "./text_with_code";

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: "good" | "bad";
  readonly undo: (() => unknown) | undefined;
}

const SHOWN_MS = 6000;
const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Show a message; with `undo` it has an Undo button. Returns what removes it. */
export function notify(text: string, kind: Notice["kind"] = "good", undo?: () => unknown): () => void {
  const id = ++last;
  notices.value = [...notices.value.filter((notice) => notice.text !== text), { id, text, kind, undo }];
  if (kind === "good") setTimeout(() => dismiss(id), SHOWN_MS);
  return () => dismiss(id);
}

/** Remove the errors whose cause is gone. */
export function dismissErrors(isGone: (text: string) => boolean): void {
  notices.value = notices.peek().filter((one) => one.kind === "good" || !isGone(one.text));
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((one) => (
        <div key={one.id} class={`notice ${one.kind}`}>
          <span>
            <TextWithCode text={one.text} />
          </span>
          {one.undo && (
            <Button
              kind="quiet"
              onPress={async () => {
                await one.undo?.();
                dismiss(one.id);
              }}
            >
              Undo
            </Button>
          )}
          <Button kind="quiet" icon="close" label="Close message" onPress={() => dismiss(one.id)} />
        </div>
      ))}
    </div>
  );
}
