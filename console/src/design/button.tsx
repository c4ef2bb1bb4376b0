/** A button that shows its own progress: while its act runs it is busy, and a refusal becomes a sentence. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { sentence } from "../api/client";
import { may, type Scope } from "../app/session";
import { Icon, type IconName } from "./icon";
import { notify } from "./notice";

interface Props {
  children?: ComponentChildren;
  /** What it does; an async act keeps the button busy until it has ended. */
  onPress?: () => unknown;
  kind?: "primary" | "danger" | "quiet";
  icon?: IconName;
  /** The accessible name of a button that shows only an icon. */
  label?: string;
  title?: string;
  disabled?: boolean;
  type?: "button" | "submit";
  pressed?: boolean;
  expanded?: boolean;
  /** Only the icon on narrow screens; the words stay for those who hear them. */
  compact?: boolean;
  /** What the session's key has to allow; without it the button is not there. */
  needs?: Scope;
}

export function Button({ children, onPress, kind, icon, label, title, disabled, type = "button", pressed, expanded, compact, needs }: Props) {
  const [isBusy, setBusy] = useState(false);
  if (needs && !may(needs)) return null;
  const press = async () => {
    if (!onPress || isBusy) return;
    const result = onPress();
    if (!(result instanceof Promise)) return;
    setBusy(true);
    try {
      await result;
    } catch (trouble) {
      notify(sentence(trouble), "bad");
    } finally {
      setBusy(false);
    }
  };
  const classes = ["button", kind, children === undefined ? "icon-only" : "", compact ? "compact" : ""].filter(Boolean).join(" ");
  return (
    <button
      type={type}
      class={classes}
      aria-label={label}
      aria-busy={isBusy || undefined}
      aria-pressed={pressed}
      aria-expanded={expanded}
      title={title ?? label ?? (compact && typeof children === "string" ? children : undefined)}
      disabled={disabled || isBusy}
      onClick={onPress ? () => void press() : undefined}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon ? <Icon name={icon} /> : null}
      {compact ? <span class="button-words">{children}</span> : children}
    </button>
  );
}
