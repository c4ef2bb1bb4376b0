/** Light or dark: the system's wish, until the person says otherwise. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "pagehand.theme";
const wish = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal<Theme>(stored());

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

/** Show what is wished for, now and whenever the system or the person changes their mind. */
export function startTheme(): void {
  const show = () => {
    const isDark = theme.value === "dark" || (theme.value === "system" && wish.matches);
    document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  };
  wish.addEventListener("change", show);
  effect(() => {
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
    show();
  });
}
