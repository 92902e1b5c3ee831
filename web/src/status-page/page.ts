import type { PublicState } from "@sonde/proto/http/status/states";
import type { ScriptWords } from "@sonde/proto/http/status/text";

// The document's own data. Read again each time: it changes in place when a newer one is fetched.

export const scriptWords = (): ScriptWords => JSON.parse(document.body.dataset["words"] ?? "{}") as ScriptWords;

export const language = (): string => document.documentElement.lang;

/** The lines of services; their ids are `m12` of a monitor, `a3` of an agent. */
export const serviceElements = (root: ParentNode = document): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(".service[data-state]"),
];

export const stateOf = (service: HTMLElement): PublicState => service.dataset["state"] as PublicState;

export const serviceName = (service: HTMLElement): string => service.querySelector("h3")?.textContent ?? "";

/** A text that the browser kept; null where there is none, or where keeping is forbidden. */
export function readStored(key: "theme" | "language"): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text. Where that is forbidden, the choice holds until the page is left. */
export function writeStored(key: "theme" | "language", value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // See above.
  }
}

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function stored(): Theme {
  const kept = readStored("theme");
  return themes.find((theme) => theme === kept) ?? "auto";
}

/** Where the page leaves the theme to its readers: theirs, else the system's, and a button that changes it. */
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
