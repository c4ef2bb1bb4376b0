/** Light or dark theme: the system's preference unless the user chose one. */
import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const STORAGE_KEY = "pagehand.theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(prefersDark.matches);

export const theme = signal<Theme>(storedTheme());

/** Whether the dark theme is shown. */
export const isDark = computed(() => theme.value === "dark" || (theme.value === "system" && systemIsDark.value));

function storedTheme(): Theme {
  const value = localStorage.getItem(STORAGE_KEY);
  return value === "light" || value === "dark" ? value : "system";
}

/** Apply the theme, now and whenever the system or the user changes it. */
export function startTheme(): void {
  prefersDark.addEventListener("change", () => (systemIsDark.value = prefersDark.matches));
  effect(() => {
    if (theme.value === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme.value);
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  });
}
