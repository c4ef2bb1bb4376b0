/** A modal dialog, and the confirmation before something is deleted or ended. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "./button";
import { OtherProblem } from "./form";
import { DialogProblems, ProblemScope } from "./problem_scope";
import { TextWithCode } from "./text_with_code";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  /** Where its owner reports problems of its own; without it the dialog makes one for its buttons. */
  problems?: ProblemScope;
}

export function Dialog({ title, onClose, children, wide = false, problems: given }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const problems = useMemo(() => given ?? new ProblemScope(), [given]);
  // at once, not after the next frame: what is typed meanwhile would be lost
  useLayoutEffect(() => {
    const previousFocus = document.activeElement;
    ref.current?.showModal();
    firstControl(ref.current)?.focus();
    return () => {
      if (previousFocus instanceof HTMLElement) previousFocus.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={onClose}
      onInput={() => problems.clear()}
      onKeyDown={(event) => pressPrimary(event, ref.current)}
    >
      <header class="row spread">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onPress={() => ref.current?.close()} />
      </header>
      <DialogProblems.Provider value={problems}>
        {children}
        <OtherProblem scope={problems} />
      </DialogProblems.Provider>
    </dialog>
  );
}

/** Where typing goes when a dialog opens: its first field, else its first button; not `Close`, which comes first. */
function firstControl(dialog: HTMLElement | null): HTMLElement | null | undefined {
  const controls = [...(dialog?.querySelectorAll<HTMLElement>("input, select, textarea, button") ?? [])].filter(
    (one) => !one.matches(":disabled, header *"),
  );
  return controls.find((one) => !one.matches("button")) ?? controls[0];
}

/** Enter in a line of text does what the dialog is for, as in any form. */
function pressPrimary(event: KeyboardEvent, dialog: HTMLElement | null): void {
  const isLine = event.target instanceof HTMLInputElement && !event.target.closest("[type=checkbox], table");
  if (event.key !== "Enter" || !isLine || event.defaultPrevented) return;
  const button = dialog?.querySelector<HTMLButtonElement>(".dialog-actions .primary");
  if (!button) return;
  event.preventDefault();
  button.click();
}

interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly resolve: (isConfirmed: boolean) => void;
}

const confirmation = signal<Confirmation | undefined>(undefined);

/** Ask the user to confirm; resolves to whether they did. */
export function confirmAction(title: string, text: string, confirmLabel: string): Promise<boolean> {
  return new Promise((resolve) => {
    confirmation.value = { title, text, confirmLabel, resolve };
  });
}

export function ConfirmDialog() {
  const open = confirmation.value;
  if (!open) return null;
  const close = (isConfirmed: boolean) => {
    confirmation.value = undefined;
    open.resolve(isConfirmed);
  };
  return (
    <Dialog title={open.title} onClose={() => close(false)}>
      <p class="confirm-text">
        <TextWithCode text={open.text} />
      </p>
      <div class="row dialog-actions">
        <Button onPress={() => close(false)}>Go back</Button>
        <Button kind="danger" onPress={() => close(true)}>
          {open.confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}
