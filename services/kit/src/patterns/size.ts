import type { Message, MessageParams } from "@sonde/proto/http/messages";

/** Why a text is no regular expression of ours, fit to show whoever wrote it. */
export type PatternFault = { fault: Message; params: MessageParams };

export const tooLarge: PatternFault = { fault: "The regular expression is too large", params: {} };

/** A group that is open: what came before its last atom, and that atom, which a repetition multiplies. */
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
 * How many atoms a regular expression has once its counted repetitions are unrolled, told from its text alone: what
 * grows beyond reason is known before it is compiled. Of a text that is no pattern it is a number as well. Its time
 * grows with the square of the length for texts like `[[[[` (a millisecond for 300 characters, more than ten for 2000),
 * so on an event loop only short texts may be given to it.
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
