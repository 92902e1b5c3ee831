import { isUtf8 } from "node:buffer";
import { BADRESP, type CaaRecord } from "node:dns";
import type { Resolver } from "node:dns/promises";
import { codeOf } from "@sonde/kit/egress/name-servers";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { RecordType } from "@sonde/proto/http/monitors/checks/dns";

type Lookup = (resolver: Resolver, name: string) => Promise<string[]>;

/**
 * Looks up the records of one type; each is returned as its text in a zone file (RFC 1035 §5), a TXT record by its
 * content. Empty if an alias has no such record; every other failure rejects, as in c-ares.
 */
export const lookups: Record<RecordType, Lookup> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  NS: (resolver, name) => resolver.resolveNs(name),
  PTR: (resolver, name) => resolver.resolvePtr(name),
  // A long text is kept in pieces of 255 bytes, which c-ares answers with a character for each byte.
  TXT: async (resolver, name) =>
    (await resolver.resolveTxt(name)).map((pieces) => decodeText(Buffer.from(pieces.join(""), "latin1"))),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange || "."}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(
      ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${target || "."}`,
    ),
  SOA: async (resolver, name) => {
    try {
      const { nsname, hostmaster, serial, refresh, retry, expire, minttl } = await resolver.resolveSoa(name);
      return [`${nsname} ${hostmaster} ${serial} ${refresh} ${retry} ${expire} ${minttl}`];
    } catch (error) {
      // c-ares takes it for a fault of the answer that an alias has no such record.
      const aliases = codeOf(error) === BADRESP ? await resolver.resolveCname(name).catch(() => []) : [];
      if (aliases.length > 0) return [];
      throw error;
    }
  },
  CAA: async (resolver, name) => (await resolver.resolveCaa(name)).map(caaText),
};

function caaText({ critical, ...properties }: CaaRecord & { type?: string }): string {
  const [tag, value] = Object.entries(properties).find(([property]) => property !== "type") ?? [];
  return `${critical} ${tag} "${value}"`;
}

/**
 * One form for all spellings of a record, so that two can be compared: names in lower case, in ASCII and without the
 * last dot, addresses as they are usually written, texts without quotes around them and in one piece.
 */
export function normalForm(type: RecordType, record: string): string {
  switch (type) {
    case "A":
    case "AAAA":
      return canonicalHost(record) ?? record.toLowerCase();
    case "TXT":
      return unquoted(record.trim());
    case "CAA": {
      const [, flags = "", tag = "", value = ""] = /^\s*(\S+)\s+(\S+)\s+(.*)$/s.exec(record) ?? [];
      return `${flags} ${tag} ${unquoted(value.trim())}`.toLowerCase();
    }
    default:
      return record.trim().split(/\s+/).map(normalName).join(" ");
  }
}

function normalName(text: string): string {
  const name = text.length > 1 && text.endsWith(".") ? text.slice(0, -1) : text;
  return /[^\0-\x7f]/.test(name) ? (canonicalHost(name) ?? name) : name.toLowerCase();
}

const quotedStrings = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s;
const quotedString = /"((?:[^"\\]|\\.)*)"/gs;
const escapes = /\\(\d{3})|\\(.)|([^\\]+)/gs;

/** The content of quoted strings, one after the other, as zone files and dig have them (RFC 1035 §5.1); other texts as they are. */
function unquoted(text: string): string {
  if (!quotedStrings.test(text)) return text;
  const whole = Array.from(text.matchAll(quotedString), ([, content]) => content).join("");
  const parts = Array.from(whole.matchAll(escapes), ([, decimal, escaped = "", plain = ""]) =>
    decimal === undefined ? Buffer.from(escaped + plain) : Buffer.of(Number(decimal)),
  );
  return decodeText(Buffer.concat(parts));
}

/** Records name no encoding: their text is UTF-8 where it is valid, else a character for each byte. */
const decodeText = (bytes: Buffer) => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
