/** The layout around every view: navigation, theme switch, shortcuts, messages. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { isLive } from "../api/events";
import { Button } from "../design/button";
import { ConfirmDialog } from "../design/dialog";
import { Icon, type IconName } from "../design/icon";
import { Notices } from "../design/notice";
import { attentionCount } from "./attention_count";
import { path } from "./router";
import { session, signOut } from "./session";
import { SearchDialog, showSearch } from "./search";
import { ShortcutsDialog, showShortcuts } from "./shortcuts";
import { isDark, theme } from "./theme";

const LINKS: readonly (readonly [path: string, name: string, icon: IconName])[] = [
  ["/", "Overview", "overview"],
  ["/executions", "Executions", "executions"],
  ["/workflows", "Workflows", "workflows"],
  ["/attention", "Attention", "attention"],
  ["/logins", "Logins", "logins"],
  ["/batches", "Batches", "batches"],
  ["/schedules", "Schedules", "schedules"],
  ["/webhooks", "Webhooks", "webhooks"],
  ["/files", "Files", "files"],
  ["/knowledge", "Knowledge", "knowledge"],
  ["/settings", "Settings", "settings"],
];

export function Frame({ children }: { children: ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href="/" onClick={() => (isOpen.value = false)}>
          <Logo /> Pagehand
        </a>
        <span class="bar-toggle">
          <Button
            kind="quiet"
            icon="menu"
            label="Menu"
            expanded={isOpen.value}
            onPress={() => (isOpen.value = !isOpen.value)}
          />
        </span>
      </header>
      <nav class={isOpen.value ? "nav open" : "nav"} aria-label="Main" onClick={() => (isOpen.value = false)}>
        <ul>
          {LINKS.map(([to, name, icon]) => (
            <li key={to}>
              <a href={to} aria-current={isCurrent(to) ? "page" : undefined}>
                <Icon name={icon} />
                <span>{name}</span>
                {to === "/attention" && attentionCount.value > 0 && (
                  <span class="nav-count">{attentionCount.value}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
        <div class="nav-foot">
          {!isLive.value && <span class="small muted">Not connected</span>}
          <a href="/guide/" target="_blank" rel="noreferrer" class="small">
            Guide
          </a>
          <a href="/docs" target="_blank" rel="noreferrer" class="small">
            API reference
          </a>
          <div class="row">
            <Button kind="quiet" icon="search" label="Search everything (Ctrl K)" onPress={showSearch} />
            <Button
              kind="quiet"
              icon={isDark.value ? "sun" : "moon"}
              label={isDark.value ? "Light theme" : "Dark theme"}
              onPress={() => (theme.value = isDark.value ? "light" : "dark")}
            />
            <Button kind="quiet" label="Keyboard shortcuts" onPress={showShortcuts}>
              ?
            </Button>
            {session.value?.isKeyless === false && (
              <Button kind="quiet" onPress={signOut}>
                Sign out
              </Button>
            )}
          </div>
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <ShortcutsDialog />
      <SearchDialog views={LINKS} />
      <ConfirmDialog />
      <Notices />
    </div>
  );
}

function isCurrent(to: string): boolean {
  return to === "/" ? path.value === "/" : path.value === to || path.value.startsWith(`${to}/`);
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <rect x="1" y="1" width="20" height="20" rx="5" fill="var(--accent)" />
      <path
        d="M7 16V6h4.500a3 3 0 0 1 0 6H9"
        fill="none"
        stroke="var(--accent-ink)"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
