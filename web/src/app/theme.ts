import { useSyncExternalStore } from "react";
import { readStored, writeStored } from "./storage.ts";

export const themes = ["light", "dark", "auto"] as const;
export type Theme = (typeof themes)[number];

const listeners = new Set<() => void>();
const systemDark = () => globalThis.matchMedia?.("(prefers-color-scheme: dark)");

export function readTheme(): Theme {
  const stored = readStored("theme");
  return stored === "light" || stored === "dark" ? stored : "auto";
}

/** Applies and stores a theme. Until this runs, public/first-paint.js applies the same rule. */
export function setTheme(theme: Theme): void {
  writeStored("theme", theme);
  apply();
  for (const listener of listeners) listener();
}

function apply() {
  const theme = readTheme();
  const dark = theme === "dark" || (theme === "auto" && systemDark()?.matches === true);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

export function startTheme(): void {
  apply();
  systemDark()?.addEventListener("change", apply);
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    readTheme,
    readTheme,
  );
}
