import type { PublicState } from "@sonde/proto/http/status/states";
import type { ScriptWords } from "@sonde/proto/http/status/text";

// The document's own data. Read again each time: it changes in place when a newer one is fetched.

export const words = (): ScriptWords => JSON.parse(document.body.dataset["words"] ?? "{}") as ScriptWords;

export const language = (): string => document.documentElement.lang;

/** The lines of services; their ids are `m12` of a monitor, `a3` of an agent. */
export const services = (root: ParentNode = document): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(".service[data-state]"),
];

export const stateOf = (service: HTMLElement): PublicState => service.dataset["state"] as PublicState;

export const nameOf = (service: HTMLElement): string => service.querySelector("h3")?.textContent ?? "";

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
