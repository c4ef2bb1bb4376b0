/** A button that opens a menu; each item has a name, and a sentence that says what it does. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client";
import { Icon } from "./icon";
import { notify } from "./notice";

export interface MenuItem {
  readonly name: string;
  readonly help: string;
  readonly disabled?: boolean;
  readonly onChoose: () => unknown;
}

export function Menu({ label, items, kind }: { label: string; items: readonly MenuItem[]; kind?: "primary" }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const enabled = () => [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]:enabled") ?? [])];
  useEffect(() => {
    if (!isOpen) return;
    enabled()[0]?.focus();
    const closeOutside = (event: Event) => root.current?.contains(event.target as Node) || setOpen(false);
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const choose = async (item: MenuItem) => {
    close();
    try {
      await item.onChoose();
    } catch (error) {
      notify(errorMessage(error), "bad");
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const list = enabled();
    const at = list.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") list[(at + 1) % list.length]?.focus();
    else if (event.key === "ArrowUp") list[(at - 1 + list.length) % list.length]?.focus();
    else if (event.key === "Home") list[0]?.focus();
    else if (event.key === "End") list.at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={opener}
        type="button"
        class={["button icon-only", kind].filter(Boolean).join(" ")}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="down" />
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map((item, index) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              disabled={item.disabled}
              aria-labelledby={`${id}-${index}`}
              aria-describedby={`${id}-${index}-help`}
              onClick={() => void choose(item)}
            >
              <strong id={`${id}-${index}`}>{item.name}</strong>
              <span id={`${id}-${index}-help`} class="small muted">
                {item.help}
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
