import type { PublicState } from "@sonde/proto/http/status/states";
import type { ScriptWords } from "@sonde/proto/http/status/text";

// Reads the document each time, because refetching changes it in place.

export const scriptWords = (): ScriptWords => JSON.parse(document.body.dataset["words"] ?? "{}") as ScriptWords;

export const language = (): string => document.documentElement.lang;

/** Elements of services. Their ids are `m12` for a monitor and `a3` for an agent. */
export const serviceElements = (root: ParentNode = document): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(".service[data-state]"),
];

export const stateOf = (service: HTMLElement): PublicState => service.dataset["state"] as PublicState;

export const serviceName = (service: HTMLElement): string => service.querySelector("h3")?.textContent ?? "";

/** Returns `null` if nothing is stored or storage is blocked. */
export function readStored(key: "theme" | "language"): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** If storage is blocked, the choice lasts until the user leaves the page. */
export function writeStored(key: "theme" | "language", value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function stored(): Theme {
  const kept = readStored("theme");
  return themes.find((theme) => theme === kept) ?? "auto";
}

/** If visitors may choose the theme, applies theirs and shows the button. */
export function bindThemeButton(): void {
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
  const name = scriptWords().themes[theme];
  button.dataset["theme"] = theme;
  button.title = name;
  button.querySelector(".sr")!.textContent = name;
  button.hidden = false;
}
