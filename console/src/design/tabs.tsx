/** Tabs; the address holds the selected one, so a link opens it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { searchParams, setSearchParams } from "../app/router";

export interface Tab {
  readonly name: string;
  readonly content: () => ComponentChildren;
  readonly count?: number;
}

export function Tabs({ label, tabs, param = "tab" }: { label: string; tabs: readonly Tab[]; param?: string }) {
  const id = useId();
  const selected = tabs.find((one) => one.name === searchParams.value.get(param)) ?? tabs[0];
  if (!selected) return null;
  const select = (tab: Tab) => setSearchParams({ [param]: tab === tabs[0] ? "" : tab.name });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(selected) + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    select(next);
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
            aria-selected={one === selected}
            aria-controls={`${id}-panel`}
            tabIndex={one === selected ? 0 : -1}
            onClick={() => select(one)}
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
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected.name}`} class="tab-panel" tabIndex={0}>
        {selected.content()}
      </div>
    </div>
  );
}
