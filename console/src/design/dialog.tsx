/** A modal dialog, and the one question asked before something is destroyed. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={ref} class={wide ? "dialog wide" : "dialog"} aria-labelledby={id} onClose={onClose}>
      <header class="row spread">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onPress={() => ref.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly answer: (yes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Ask once; resolves to what the person says. */
export function ask(title: string, text: string, confirm: string): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = { title, text, confirm, answer: resolve };
  });
}

export function Questions() {
  const open = question.value;
  if (!open) return null;
  const close = (yes: boolean) => {
    question.value = undefined;
    open.answer(yes);
  };
  return (
    <Dialog title={open.title} onClose={() => close(false)}>
      <p>{open.text}</p>
      <div class="row dialog-actions">
        <Button onPress={() => close(false)}>Keep</Button>
        <Button kind="danger" onPress={() => close(true)}>
          {open.confirm}
        </Button>
      </div>
    </Dialog>
  );
}
