/** A surface with a heading, and the words shown where there is nothing yet. */
import type { ComponentChildren } from "preact";

interface Props {
  title?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
}

export function Card({ title, actions, children, flush = false }: Props) {
  return (
    <section class={flush ? "card flush" : "card"} aria-label={title}>
      {(title ?? actions) && (
        <header class="card-head">
          {title && <h2>{title}</h2>}
          {actions && <div class="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** What to show where a list is empty: what would be here, and how to make the first one. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}
