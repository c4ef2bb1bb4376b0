/** Tabs whose choice lives in the address, so that a link opens the right one. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { query, setQuery } from "../app/router";

export interface Tab {
  readonly name: string;
  readonly content: () => ComponentChildren;
  readonly count?: number;
}

export function Tabs({ label, tabs, param = "tab" }: { label: string; tabs: readonly Tab[]; param?: string }) {
  const id = useId();
  const chosen = tabs.find((one) => one.name === query.value.get(param)) ?? tabs[0];
  if (!chosen) return null;
  const choose = (tab: Tab) => setQuery({ [param]: tab === tabs[0] ? "" : tab.name });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} class="tab-list" onKeyDown={onKeyDown}>
        {tabs.map((one) => (
          <button
            key={one.name}
            id={`${id}-${one.name}`}
            type="button"
            role="tab"
            aria-selected={one === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={one === chosen ? 0 : -1}
            onClick={() => choose(one)}
          >
            {one.name}
            {!!one.count && (
              <span class="tab-count" aria-hidden="true">
                {one.count}
              </span>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen.name}`} class="tab-panel" tabIndex={0}>
        {chosen.content()}
      </div>
    </div>
  );
}
