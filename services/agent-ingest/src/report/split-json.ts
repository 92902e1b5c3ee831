import { AppError } from "@sonde/kit/errors";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Samples are less deep, and deep nesting is what costs a parser most. */
const maxDepth = 32;
const key = Buffer.from('"samples"');

const broken = () => new AppError("invalid", "The body is not valid JSON");

/** Bytes scanned between calls of `pause`. */
const stride = 32 * 1024;

/**
 * Finds the entries of `samples` in a JSON object by brackets and quotes, so that each can be parsed separately with
 * the event loop running in between. Brackets must match; other errors are found when the parts are parsed.
 * @returns the bytes of each entry, and the object with an empty list in their place
 * @param pause yields to the event loop when due
 * @throws AppError `too_large` beyond `maxSamples`, `invalid`
 */
export async function splitJson(
  body: Buffer,
  maxSamples: number,
  pause: () => Promise<void>,
): Promise<{ rest: Buffer; samples: Buffer[] }> {
  const samples: Buffer[] = [];
  /** With brackets; -1 if there is no list. */
  let [listBegin, listEnd] = [-1, -1];
  /** Closing brackets still expected, outermost first. */
  const expected: number[] = [];
  /** Start of the current string; -1 outside of strings. */
  let textBegin = -1;
  /** In the outermost object: the last string, and whether it was the key `samples`. */
  let lastText = { begin: 0, end: 0 };
  let isSamplesNext = false;
  let entryBegin = 0;
  let isInside = false;
  const cut = (end: number, isLast: boolean) => {
    if (isLast && samples.length === 0 && isBlank(body, entryBegin, end)) return;
    if (samples.length >= maxSamples) {
      throw new AppError("too_large", "A report can contain at most {max} samples", { params: { max: maxSamples } });
    }
    samples.push(body.subarray(entryBegin, end));
  };
  let pauseAt = stride;
  for (let at = 0; at < body.length; at++) {
    if (at >= pauseAt) {
      await pause();
      pauseAt = at + stride;
    }
    if (textBegin >= 0) {
      at = body.indexOf(quote, at);
      if (at === -1) throw broken();
      if (isEscaped(body, at)) continue;
      if (expected.length === 1) lastText = { begin: textBegin, end: at + 1 };
      textBegin = -1;
      continue;
    }
    const byte = body[at];
    if (byte === quote) textBegin = at;
    else if (byte === openBrace || byte === openBracket) {
      expected.push(byte === openBrace ? closeBrace : closeBracket);
      if (expected.length > maxDepth) throw broken();
      if (byte === openBracket && expected.length === 2 && isSamplesNext) {
        // The last of duplicate keys counts, as in JSON.parse; the other stays in the rest.
        samples.length = 0;
        isInside = true;
        isSamplesNext = false;
        entryBegin = at + 1;
        listBegin = at;
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      if (isInside && expected.length === 2) {
        cut(at, true);
        isInside = false;
        listEnd = at + 1;
      }
      if (expected.pop() !== byte) throw broken();
    } else if (byte === colon && expected.length === 1) {
      isSamplesNext = body.subarray(lastText.begin, lastText.end).equals(key);
    } else if (byte === comma && expected.length === 1) {
      isSamplesNext = false;
    } else if (byte === comma && isInside && expected.length === 2) {
      cut(at, false);
      entryBegin = at + 1;
    }
  }
  if (expected.length > 0 || textBegin >= 0) throw broken();
  if (listBegin < 0) return { rest: body, samples: [] };
  return { rest: Buffer.concat([body.subarray(0, listBegin), Buffer.from("[]"), body.subarray(listEnd)]), samples };
}

/** True if an odd number of backslashes precedes the quote. */
function isEscaped(body: Buffer, at: number): boolean {
  let slashes = 0;
  while (body[at - 1 - slashes] === backslash) slashes++;
  return slashes % 2 === 1;
}

const isBlank = (body: Buffer, begin: number, end: number) => body.toString("latin1", begin, end).trim() === "";
