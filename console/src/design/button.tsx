/** A button that is busy while its action runs. If the action fails, its dialog says why; on a page, a message at the edge. */
import type { ComponentChildren } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client";
import { hasScope, type Scope } from "../app/session";
import { Icon, type IconName } from "./icon";
import { notify } from "./notice";
import { DialogProblems } from "./problem_scope";

interface Props {
  children?: ComponentChildren;
  /** The action; while its promise is pending the button is busy. */
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
  /** Show only the icon on narrow screens; screen readers still read the text. */
  compact?: boolean;
  /** The scope the session needs; without it the button is not rendered. */
  needs?: Scope;
}

export function Button({
  children,
  onPress,
  kind,
  icon,
  label,
  title,
  disabled,
  type = "button",
  pressed,
  expanded,
  compact,
  needs,
}: Props) {
  const [isBusy, setBusy] = useState(false);
  const scope = useContext(DialogProblems);
  const dismissLast = useRef<() => void>(undefined);
  if (needs && !hasScope(needs)) return null;
  const press = async () => {
    if (!onPress || isBusy) return;
    dismissLast.current?.();
    scope?.clear();
    const result = onPress();
    if (!(result instanceof Promise)) return;
    setBusy(true);
    try {
      await result;
    } catch (error) {
      if (scope) scope.report(error);
      else dismissLast.current = notify(errorMessage(error), "bad");
    } finally {
      setBusy(false);
    }
  };
  const classes = ["button", kind, children === undefined ? "icon-only" : "", compact ? "compact" : ""]
    .filter(Boolean)
    .join(" ");
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
