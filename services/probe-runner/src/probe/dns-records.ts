import type { CaaRecord } from "node:dns";
import type { Resolver } from "node:dns/promises";
import { canonicalHost } from "@sonde/proto/http/checks/fields";
import type { RecordType } from "@sonde/proto/http/checks/dns";

type Lookup = (resolver: Resolver, name: string) => Promise<string[]>;

/** Asks for the records of one type; each answers as the text that a zone file has for it (RFC 1035 §5). */
export const lookups: Record<RecordType, Lookup> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  NS: (resolver, name) => resolver.resolveNs(name),
  PTR: (resolver, name) => resolver.resolvePtr(name),
  // A long text is kept in pieces of 255 bytes.
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((pieces) => pieces.join("")),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange || "."}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(
      ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${target || "."}`,
    ),
  SOA: async (resolver, name) => {
    const { nsname, hostmaster, serial, refresh, retry, expire, minttl } = await resolver.resolveSoa(name);
    return [`${nsname} ${hostmaster} ${serial} ${refresh} ${retry} ${expire} ${minttl}`];
  },
  CAA: async (resolver, name) => (await resolver.resolveCaa(name)).map(caaText),
};

function caaText({ critical, ...properties }: CaaRecord & { type?: string }): string {
  const [tag, value] = Object.entries(properties).find(([property]) => property !== "type") ?? [];
  return `${critical} ${tag} "${value}"`;
}

/**
 * One form for all spellings of a record, so that two can be compared: names in lower case, in ASCII and without the
 * last dot, addresses as they are usually written, texts without quotes around them.
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

const unquoted = (text: string) => /^"(.*)"$/s.exec(text)?.[1] ?? text;
