import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";

/** The beginning of a text that a target sent, at least so many characters of it where it has them, with its secrets masked. */
export type Mask = (text: string, characters: number) => string;

/** Shorter ones, such as a cookie's `1`, would mask half of a page. */
export const shortestMasked = 4;
/** The same of what is encoded in base64. */
const shortestEncoded = 8;

/**
 * Masks what a monitor sends as a secret, or expects as one, however the target repeats it (in another case, encoded for a
 * URL, JSON, HTML or in base64), and what looks like a secret of the target's own.
 * @param found values of the response's secret headers
 * @param passwords others of the monitor's secrets
 */
export function maskOf(
  headers: readonly Header[],
  assertions: readonly Assertion[],
  found: readonly string[],
  passwords: readonly string[] = [],
): Mask {
  const spellings = spellingsIn(headers, assertions, found, passwords);
  const cover = covering(spellings);
  const longest = spellings[0]?.length ?? 0;
  return (text, characters) => {
    // What begins among them is read to its end.
    const masked = cover(text.slice(0, characters + longest));
    return withoutBeginning(masked, spellings)
      .replace(ownSecret, `$1${secretMask}`)
      .replace(credentials, `$1 ${secretMask}`);
  };
}

/** Masks these alone: for a sentence of ours. */
export const coverOf = (passwords: readonly string[]): ((text: string) => string) =>
  covering(spellingsIn([], [], [], passwords));

/** Makes what finds whether a text is a secret of these headers, or holds one that is long enough not to be there by chance. */
export function secretFinder(headers: readonly Header[]): (text: string) => boolean {
  const spellings = spellingsIn(headers, [], [], []);
  return (text) => spellings.some((one) => (one.length >= shortestEncoded ? text.includes(one) : text === one));
}

/** How secrets may be repeated; a longer one may contain a shorter one, and comes first. */
function spellingsIn(
  headers: readonly Header[],
  assertions: readonly Assertion[],
  found: readonly string[],
  passwords: readonly string[],
): string[] {
  const sent = headers.flatMap(({ name, value }) => (isSecretHeader(name) ? [value, ...partsOf(value)] : []));
  const expected = assertions.flatMap(({ source, property = "", value }) =>
    source === "header" && isSecretHeader(property) && value !== undefined ? [String(value)] : [],
  );
  // After its value a cookie that is set has words that pages have, too.
  const answered = found.flatMap((value) => partsOf(value.split(";", 1)[0] ?? ""));
  // As they are, and by the bytes of UTF-8, which is how they are sent.
  const own = passwords.flatMap((text) => [text, Buffer.from(text).toString("latin1")]);
  const all = new Set([...sent, ...expected, ...answered, ...own].flatMap(spellingsOf));
  return [...all].filter((text) => text !== "").sort((one, other) => other.length - one.length);
}

function covering(spellings: readonly string[]): (text: string) => string {
  const patterns = spellings.map((text) => new RegExp(RegExp.escape(text), "gi"));
  return (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, secretMask), text);
}

/**
 * A value behind a name such as `access_token`, `"password":` or `sig=`. It begins with the word itself, and its repetitions are
 * bounded, so that no answer makes it slow.
 */
const ownSecret =
  /((?:token|secret|passw(?:or)?d|api[_-]?key|session[_-]?id|signature|credential)[\w-]{0,30}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"'\\&,;<>]+/gi;
const credentials = /\b(Bearer|Basic|Digest|Negotiate) [\w.~+/=-]{4,}/gi;

/** What was cut off may have been the rest of a secret: its beginning at the end of a text is cut off, too. */
function withoutBeginning(text: string, spellings: readonly string[]): string {
  let end = text.length;
  for (const spelling of spellings.map((each) => each.toLowerCase())) {
    const from = Math.max(0, text.length - spelling.length);
    const tail = text.slice(from).toLowerCase();
    const first = spelling.slice(0, shortestMasked);
    for (let at = tail.indexOf(first); at >= 0; at = tail.indexOf(first, at + 1)) {
      if (!spelling.startsWith(tail.slice(at))) continue;
      end = Math.min(end, from + at);
      break;
    }
  }
  return text.slice(0, end);
}

/** What of a secret header is one by itself: the token behind its scheme, a password, a cookie's value. */
function partsOf(value: string): string[] {
  const [, scheme = "", token = ""] = /^([\w-]+) +(.+)$/.exec(value) ?? [];
  const login = scheme.toLowerCase() === "basic" ? Buffer.from(token, "base64").toString() : "";
  const password = login.slice(login.indexOf(":") + 1);
  const values = value.split(";").map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
  return [token, login, password, ...values].filter((part) => part.length >= shortestMasked);
}

const htmlEntities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const html = (text: string, apostrophe: string) =>
  text.replaceAll(/[&<>"']/g, (character) => htmlEntities[character] ?? apostrophe);

/** How a secret may be repeated. A header's characters travel as a byte each, which a target may read as UTF-8. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "latin1");
  const plain = [secret, bytes.toString()].flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1);
    const slashed = json.replaceAll("/", String.raw`\/`);
    return [text, encodeURIComponent(text.toWellFormed()), json, slashed, html(text, "&#39;"), html(text, "&#x27;")];
  });
  if (bytes.length < shortestEncoded) return plain;
  return [...plain, bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
}
