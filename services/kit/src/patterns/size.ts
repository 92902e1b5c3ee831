import type { MessageParams } from "@sonde/proto/http/fill";
import type { Message } from "@sonde/proto/http/messages";

/** Why a text is not an accepted regular expression, fit to show to its author. */
export type PatternFault = { fault: Message; params: MessageParams };

export const tooLarge: PatternFault = { fault: "The regular expression is too large", params: {} };

/** An open group: the size before its last atom, and that atom, which a repetition multiplies. */
type Group = { before: number; last: number };

const quoted = String.raw`\\Q[^]*?(?:\\E|$)`;
const escaped = String.raw`\\[pPx]\{[^}]*\}|\\[^]`;
const charClass = String.raw`\[\^?\]?(?:\\[^]|\[:\w+:\]|[^\]\\])*\]`;
const flags = String.raw`\(\?[a-zA-Z-]*\)`;
const opening = String.raw`(?<opening>\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?)`;
const counted = String.raw`\{(?<least>\d{1,9})(?:,(?<most>\d{0,9}))?\}`;
const token = new RegExp([quoted, escaped, charClass, flags, opening, counted, "[^]"].join("|"), "gu");
const costsNothing = new RegExp(String.raw`^(?:[?*+|]|${flags})$`);

/**
 * The number of atoms of a regular expression once its counted repetitions are unrolled, computed from its text alone:
 * excessive growth is found before compiling. It is defined for invalid patterns too. Its time grows with the square of
 * the length for texts like `[[[[` (1 ms for 300 characters, more than 10 ms for 2000), so only short texts may be
 * checked on an event loop.
 */
export function unrolledAtoms(source: string): number {
  const open: Group[] = [{ before: 0, last: 0 }];
  for (const { 0: text, groups } of source.matchAll(token)) {
    const group = open.at(-1) as Group;
    if (groups?.["opening"] !== undefined) open.push({ before: 0, last: 0 });
    else if (groups?.["least"] !== undefined) {
      group.last *= Math.max(Number(groups["least"]), Number(groups["most"] ?? 0));
    } else if (text === ")" && open.length > 1) {
      open.pop();
      add(open.at(-1) as Group, group.before + group.last);
    } else if (!costsNothing.test(text)) add(group, 1);
  }
  return open.reduce((sum, { before, last }) => sum + before + last, 0);
}

function add(group: Group, atoms: number): void {
  group.before += group.last;
  group.last = atoms;
}
