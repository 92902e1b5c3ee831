import type { MessageParams } from "@sonde/proto/http/fill";
import type { Message } from "@sonde/proto/http/messages";

export type PatternError = { fault: Message; params: MessageParams };

export const tooLarge: PatternError = { fault: "The regular expression is too large", params: {} };

/** `last`: size of the last atom, which a repetition multiplies; `before`: size of everything before it. */
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
 * Counts the atoms after unrolling counted repetitions, to detect excessive growth before compiling. Works for invalid
 * patterns. Quadratic for texts like `[[[[` (1 ms for 300 characters, more than 10 ms for 2000).
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
