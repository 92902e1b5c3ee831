import * as z from "zod";
import { linePattern, trimmedLine } from "../../text.ts";
import { canonicalHost, host, hostAndPort } from "./fields.ts";
import { kind } from "./kind.ts";

export const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"] as const;
export type RecordType = (typeof recordTypes)[number];

const resolverMessage = "Enter an IP address, optionally with a port, such as 1.1.1.1:53 or [2606:4700::1111]:53";
const isAddress = (text: string) => /^\d+(\.\d+){3}$/.test(text) || text.includes(":");

/** Parses a resolver: an IP address, with or without a port (default 53). Null for anything else. */
export function parseResolver(text: string): { host: string; port: number } | null {
  const [, bracketed, before, digits = "53"] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  // An IPv6 address without brackets cannot have a port.
  const given = bracketed ?? before ?? text;
  const address = isAddress(given) ? canonicalHost(given) : null;
  const port = Number(digits);
  return address === null || port < 1 || port > 65_535 ? null : { host: address, port };
}

/** Checks the DNS records of a name. */
export const dns = kind({
  type: "dns",
  fields: {
    host,
    recordType: z.enum(recordTypes),
    resolver: trimmedLine()
      .refine((text) => parseResolver(text) !== null, resolverMessage)
      .optional()
      .meta({
        description: "Name server to query, optionally with `:port`; the probe runner's system default if absent.",
        anyOf: [
          { format: "ipv4" },
          { format: "ipv6" },
          { pattern: String.raw`^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]):\d{1,5}$` },
        ],
      }),
    expect: z
      .array(trimmedLine().min(1).max(1000).meta({ pattern: linePattern }))
      .min(1, "Too few entries (minimum {min})")
      .max(50)
      .optional()
      .meta({
        description:
          "Values that must all be in the response, in zone file format: `10 mail.example.com`, `192.0.2.1`, or the text of a TXT record, quoted or not.",
      }),
  },
  target: (check) => `dns://${check.host}/${check.recordType}`,
  hosts: ({ resolver }) => {
    const server = resolver === undefined ? null : parseResolver(resolver);
    return server === null ? [] : [{ path: "resolver", value: server.host }];
  },
  heavy: ["expect"],
});

export const resolverText = ({ host, port }: { host: string; port: number }) => hostAndPort(host, port);
