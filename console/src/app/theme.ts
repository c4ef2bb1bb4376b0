/** Light or dark: the system's wish, until the person says otherwise. */
import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "pagehand.theme";
const wish = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(wish.matches);

export const theme = signal<Theme>(stored());

/** Whether dark is what is shown. */
export const isDark = computed(() => theme.value === "dark" || (theme.value === "system" && systemIsDark.value));

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

/** Show what is wished for, now and whenever the system or the person changes their mind. */
export function startTheme(): void {
  wish.addEventListener("change", () => (systemIsDark.value = wish.matches));
  effect(() => {
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  });
}
