import { isUtf8 } from "node:buffer";
import { BADRESP, type CaaRecord } from "node:dns";
import type { Resolver } from "node:dns/promises";
import { codeOf } from "@sonde/kit/egress/name-servers";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { RecordType } from "@sonde/proto/http/monitors/checks/dns";

type Lookup = (resolver: Resolver, name: string) => Promise<string[]>;

/**
 * Looks up records of one type, in zone file format (RFC 1035 §5) except TXT, which is returned as its content.
 * Returns an empty list if an alias has no such record; all other failures reject with c-ares' error.
 */
export const lookups: Record<RecordType, Lookup> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  NS: (resolver, name) => resolver.resolveNs(name),
  PTR: (resolver, name) => resolver.resolvePtr(name),
  // A long text consists of strings of up to 255 bytes. c-ares returns them with one character per byte.
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
      // c-ares reports BADRESP if the name is an alias without such a record.
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

/** Lower-case ASCII names without trailing dot, canonical addresses, unquoted and joined texts. */
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

/** Joins and unescapes quoted strings as in zone files and dig output (RFC 1035 §5.1). Other texts are unchanged. */
function unquoted(text: string): string {
  if (!quotedStrings.test(text)) return text;
  const whole = Array.from(text.matchAll(quotedString), ([, content]) => content).join("");
  const parts = Array.from(whole.matchAll(escapes), ([, decimal, escaped = "", plain = ""]) =>
    decimal === undefined ? Buffer.from(escaped + plain) : Buffer.of(Number(decimal)),
  );
  return decodeText(Buffer.concat(parts));
}

/** TXT records have no declared encoding: decodes valid UTF-8, or else one character per byte. */
const decodeText = (bytes: Buffer) => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
