import { randomUUID } from "node:crypto";
import { html, write } from "../html.ts";
import type { WantedOnce } from "./wanted.ts";

/** A small document for one person, which differs from others of its kind in a few texts alone. */
export type Slip = Exclude<WantedOnce, { kind: "preview" }>;

// Random, so that no text of the page is taken for one of them.
const blanks = { title: randomUUID(), text: randomUUID(), token: randomUUID() };

/** The same document with marks where its own texts go: one is made and kept for all who ask. */
export function blankOf(slip: Slip): Slip {
  const { kind, language } = slip;
  return kind === "notice"
    ? { kind, title: blanks.title, text: blanks.text, language }
    : { kind, token: blanks.token, language };
}

/** Writes a slip's own texts, escaped, into the document that was made of its `blankOf`. */
export function fillIn(document: string, slip: Slip): string {
  const texts = slip.kind === "notice" ? { title: slip.title, text: slip.text } : { token: slip.token };
  let filled = document;
  for (const [name, text] of Object.entries(texts)) {
    const escaped = write(html`${text}`);
    filled = filled.replaceAll(blanks[name as keyof typeof blanks], () => escaped);
  }
  return filled;
}
