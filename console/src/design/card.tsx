/** A box with a heading, and the placeholder for an empty list. */
import type { ComponentChildren } from "preact";
import { TextWithCode } from "./text_with_code";

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

/** Why a list is not shown: it is being read, or could not be. */
export function ListState({ isLoaded, problem }: { isLoaded: boolean; problem: string | undefined }) {
  if (problem) return <EmptyState title={problem} />;
  return isLoaded ? null : (
    <p role="status" class="empty">
      Loading…
    </p>
  );
}

/** The placeholder for an empty list: what belongs here and how to create the first one. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">
        <TextWithCode text={title} />
      </p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}
