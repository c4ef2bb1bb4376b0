/** Typing goes on in what a button has just added. */
import { useLayoutEffect, useRef } from "preact/hooks";

/** Call `focusAdded` before adding: the first field of the last `item` in `box` takes the focus once it is drawn. */
export function useFocusAdded<Box extends HTMLElement>(item: string) {
  const box = useRef<Box>(null);
  const isAsked = useRef(false);
  useLayoutEffect(() => {
    if (!isAsked.current) return;
    isAsked.current = false;
    const items = box.current?.querySelectorAll(item) ?? [];
    const field = [...items].at(-1)?.querySelector<HTMLElement>(".control");
    field?.focus();
    if (field instanceof HTMLInputElement) field.select(); // typing replaces a name that was made up
  });
  return { box, focusAdded: () => (isAsked.current = true) };
}
