import { readStored, words, writeStored } from "./page.ts";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function stored(): Theme {
  const kept = readStored("theme");
  return themes.find((theme) => theme === kept) ?? "auto";
}

/** Where the page leaves the theme to its readers: theirs, else the system's, and a button that changes it. */
export function useTheme(): void {
  const root = document.documentElement;
  const button = document.querySelector<HTMLElement>("#theme");
  if (root.dataset["mode"] !== "auto") return;
  show(stored(), root, button);
  if (button === null || button.dataset["ready"] !== undefined) return;
  button.dataset["ready"] = "";
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf((button.dataset["theme"] ?? "auto") as Theme) + 1) % themes.length]!;
    writeStored("theme", next);
    show(next, root, button);
  });
}

function show(theme: Theme, root: HTMLElement, button: HTMLElement | null): void {
  if (theme === "auto") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  if (button === null) return;
  const name = words().themes[theme];
  button.dataset["theme"] = theme;
  button.title = name;
  button.querySelector(".sr")!.textContent = name;
  button.hidden = false;
}
