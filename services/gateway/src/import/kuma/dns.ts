import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { ReadCheck } from "./read-check.ts";
import { json, number, text } from "./rows.ts";

/** A DNS question. Uptime Kuma may name several name servers, and conditions that a record must fulfil. */
export function readDns(row: KumaRow): ReadCheck {
  const notes: TranslatableText[] = [];
  const servers = text(row, "dns_resolve_server")
    .split(",")
    .map((server) => server.trim())
    .filter((server) => server !== "");
  const [server] = servers;
  if (server !== undefined && servers.length > 1) {
    notes.push({
      text: "Its name servers are reduced to the first, {server}",
      params: { server: server.slice(0, 60) },
    });
  }
  const recordType = text(row, "dns_resolve_type") || "A";
  const { expect, left } = readConditions(text(row, "conditions"), recordType);
  if (left !== "") notes.push({ text: "Without its conditions: {conditions}", params: { conditions: left } });
  return {
    check: {
      type: "dns",
      host: text(row, "hostname"),
      recordType,
      resolver: server === undefined ? undefined : withPort(server, number(row, "port")),
      expect,
    },
    notes,
  };
}

function withPort(server: string, port: number | null): string {
  if (port === null || port === 53 || port === 0) return server;
  return server.includes(":") ? `[${server}]:${port}` : `${server}:${port}`;
}

const isCondition = (value: unknown): value is Condition => typeof value === "object" && value !== null;
type Condition = { variable?: unknown; operator?: unknown; value?: unknown };

/** Types whose records are one text each, as both write them. */
const plainTypes = new Set(["A", "AAAA", "CNAME", "NS", "PTR", "TXT"]);

/** One record that must be among the answers; other conditions are reported as left out, in words. */
function readConditions(given: string, recordType: string): { expect?: string[]; left: string } {
  const read = json(given);
  const list = Array.isArray(read) ? (read as unknown[]).filter(isCondition) : [];
  if (list.length === 0) return { left: "" };
  const [first, ...others] = list;
  const isPlain = others.length === 0 && first?.variable === "record" && first.operator === "equals";
  if (isPlain && plainTypes.has(recordType) && typeof first.value === "string" && first.value !== "") {
    return { expect: [first.value], left: "" };
  }
  const words = list.map(({ variable, operator, value }) =>
    [variable, operator, value].filter((part) => typeof part === "string" || typeof part === "number").join(" "),
  );
  return { left: words.join("; ").slice(0, 120) || "…" };
}
