import type { BadgeKind } from "./badges.ts";
import type { Language } from "./page/render.ts";

/** A document of the public page that is made once and kept. */
export type Wanted =
  | { kind: "json" }
  | { kind: "page" | "history" | "embed" | "missing" | "feed"; language: Language }
  | { kind: "incident"; id: string; language: Language }
  | { kind: "badge"; of: BadgeKind; id: number; language: Language };

/** A document for one person: a thank-you, what a link in a mail opens, what a change of the page would make of it. */
export type WantedOnce =
  | { kind: "notice"; title: string; text: string; language: Language }
  | { kind: "preview"; language: Language }
  | { kind: "confirm" | "unsubscribe"; token: string; language: Language };

/** The same text for the same document. */
export const keyOf = (wanted: Wanted | WantedOnce): string => Object.values(wanted).join(" ");
