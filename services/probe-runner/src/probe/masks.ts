import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { secretMask } from "@sonde/proto/http/secrets";

/** Returns at least the first `characters` characters of a target's text, with secrets masked. */
export type Mask = (text: string, characters: number) => string;

/** Shorter values, such as a cookie's `1`, would mask half of the page. */
export const shortestMasked = 4;
/** The same for base64-encoded values. */
const shortestEncoded = 8;

/**
 * Masks the secrets that a monitor sends or expects, however the target repeats them (in another case, or encoded for
 * a URL, JSON, HTML or base64), and anything that looks like a secret of the target.
 * @param found values of the response's secret headers
 * @param passwords the monitor's other secrets
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
    // Include the rest of a secret that begins within the range.
    const masked = cover(text.slice(0, characters + longest));
    return withoutBeginning(masked, spellings)
      .replace(ownSecret, `$1${secretMask}`)
      .replace(credentials, `$1 ${secretMask}`);
  };
}

/** Masks only these passwords, for messages written by Sonde. */
export const coverOf = (passwords: readonly string[]): ((text: string) => string) =>
  covering(spellingsIn([], [], [], passwords));

/** Returns a function that detects whether a text equals a secret header value, or contains a long enough one. */
export function secretFinder(headers: readonly Header[]): (text: string) => boolean {
  const spellings = spellingsIn(headers, [], [], []);
  return (text) => spellings.some((one) => (one.length >= shortestEncoded ? text.includes(one) : text === one));
}

/** All spellings of the secrets. Longest first, since a longer one may contain a shorter one. */
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
  // Cookie attributes are ordinary words that also occur in pages.
  const answered = found.flatMap((value) => partsOf(value.split(";", 1)[0] ?? ""));
  // In both forms: as text, and as the UTF-8 bytes that are sent.
  const own = passwords.flatMap((text) => [text, Buffer.from(text).toString("latin1")]);
  const all = new Set([...sent, ...expected, ...answered, ...own].flatMap(spellingsOf));
  return [...all].filter((text) => text !== "").sort((one, other) => other.length - one.length);
}

function covering(spellings: readonly string[]): (text: string) => string {
  const patterns = spellings.map((text) => new RegExp(RegExp.escape(text), "gi"));
  return (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, secretMask), text);
}

/** The value after names such as `access_token` or `"password":`. Bounded repetitions keep it fast on any response. */
const ownSecret =
  /((?:token|secret|passw(?:or)?d|api[_-]?key|session[_-]?id|signature|credential)[\w-]{0,30}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"'\\&,;<>]+/gi;
const credentials = /\b(Bearer|Basic|Digest|Negotiate) [\w.~+/=-]{4,}/gi;

/** Removes a partial secret at the end of a text, where truncation may have cut off the rest. */
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

/** Parts of a secret header that are secret themselves: the token after a scheme, a password, a cookie's value. */
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

/** Spellings in which a target may repeat a secret. Headers carry one byte per character, possibly read as UTF-8. */
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
