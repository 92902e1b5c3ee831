import type { KumaRow } from "@sonde/proto/http/import";
import { pingsWithin } from "@sonde/proto/http/monitors/checks/icmp";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { readConditions } from "./conditions.ts";
import { expiryNote, readHttp, readMinDays } from "./http.ts";
import { flag, type KumaContext, number, type ReadAssertion, type ReadCheck, text } from "./rows.ts";
import { readPush } from "./push.ts";
import { readDatabase, readGrpc, readSmtp, readWebSocket } from "./servers.ts";

/** See server/model/monitor.js of Uptime Kuma 1.23 and 2. */
export function readKumaCheck(row: KumaRow, around: KumaContext): ReadCheck {
  const read = readKind(row, around);
  if ("refused" in read || !flag(row, "upside_down")) return read;
  return { ...read, check: { ...read.check, invert: true } };
}

function readKind(row: KumaRow, around: KumaContext): ReadCheck {
  const type = text(row, "type");
  switch (type) {
    case "http":
      return readHttp(row, around);
    case "keyword":
      return withAssertion(readHttp(row, around), readKeyword(row));
    case "json-query":
      return withAssertion(readHttp(row, around), readJsonQuery(row));
    case "port":
      return readPort(row, around);
    case "ping":
      return readPing(row);
    case "dns":
      return readDns(row);
    case "push":
      return readPush(row);
    case "websocket-upgrade":
      return readWebSocket(row, around);
    case "grpc-keyword":
      return readGrpc(row);
    case "smtp":
      return readSmtp(row, around);
    case "postgres":
    case "mysql":
    case "redis":
      return readDatabase(row, type);
    case "":
      return { refused: { text: "Unknown type" } };
    default:
      return {
        refused: { text: "Sonde does not support this type of check ({kind})", params: { kind: type.slice(0, 40) } },
      };
  }
}

function withAssertion(read: ReadCheck, added: ReadAssertion): ReadCheck {
  if ("refused" in read) return read;
  if ("refused" in added) return added;
  return { ...read, check: { ...read.check, assertions: [added.assertion] } };
}

function readKeyword(row: KumaRow): ReadAssertion {
  const value = text(row, "keyword");
  if (value === "") return { refused: { text: "Its keyword is empty" } };
  return { assertion: { source: "body", op: flag(row, "invert_keyword") ? "notContains" : "contains", value } };
}

/** Uptime Kuma detects the protocol from the server's first bytes. */
const protocolsByPort: Readonly<Record<number, StartTls>> = { 110: "pop3", 143: "imap", 5432: "postgres" };

/** With TLS (`smtp_security`, `expected_tls_alert`) it becomes a TLS check. */
function readPort(row: KumaRow, around: KumaContext): ReadCheck {
  const host = text(row, "hostname");
  const port = number(row, "port") ?? 0;
  const security = text(row, "smtp_security");
  const alert = ["", "none"].includes(text(row, "expected_tls_alert")) ? "" : text(row, "expected_tls_alert");
  if (security !== "secure" && security !== "starttls" && alert === "") return { check: { type: "tcp", host, port } };

  const notes: TranslatableText[] = [{ text: "Becomes a TLS check" }, { text: "Its certificate must be valid" }];
  const starttls = security === "starttls" ? (protocolsByPort[port] ?? "smtp") : undefined;
  if (starttls !== undefined) notes.push({ text: "STARTTLS with {protocol}", params: { protocol: starttls } });
  if (alert !== "") {
    notes.push({ text: "Expected TLS alert {alert} is not imported", params: { alert: alert.slice(0, 40) } });
  }
  const minDaysLeft = readMinDays(row, around);
  if (minDaysLeft !== undefined) notes.push(expiryNote(minDaysLeft));
  // Without a limit in days, only an expired certificate is DOWN.
  return { check: { type: "tls", host, port, starttls, minDaysLeft: minDaysLeft ?? 0 }, notes };
}

/** Uptime Kuma requires only one reply. */
function readPing(row: KumaRow): ReadCheck {
  // 0 means no timeout. Sonde's default leaves room for ten pings.
  const fitting = pingsWithin((number(row, "timeout") || 10) * 1000);
  const count = Math.min(10, fitting, Math.max(1, number(row, "ping_count") ?? 1));
  return { check: { type: "icmp", host: text(row, "hostname"), count, maxLoss: 99 } };
}

/** Uptime Kuma allows several name servers, and conditions for a record. */
function readDns(row: KumaRow): ReadCheck {
  const notes: TranslatableText[] = [];
  const servers = text(row, "dns_resolve_server")
    .split(",")
    .map((server) => server.trim())
    .filter((server) => server !== "");
  const [server] = servers;
  if (server !== undefined && servers.length > 1) {
    notes.push({
      text: "Only the first name server is used: {server}",
      params: { server: server.slice(0, 60) },
    });
  }
  const recordType = text(row, "dns_resolve_type") || "A";
  const { expect, left } = readConditions(text(row, "conditions"), recordType);
  if (left !== "") notes.push({ text: "Conditions not imported: {conditions}", params: { conditions: left } });
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

const ops: Readonly<Record<string, string>> = {
  "": "equals",
  "==": "equals",
  "!=": "notEquals",
  ">": "greaterThan",
  "<": "lessThan",
  contains: "contains",
};

/** A name, a name in backticks, or an index of a simple JSONata path. */
const step = /(?:^|\.)([\p{L}_][\p{L}\p{N}_]*)|(?:^|\.)`([^`]+)`|\[(-?\d{1,9})\]/uy;

/** Converts a query if its JSONata expression (docs.jsonata.org) is a plain path. */
function readJsonQuery(row: KumaRow): ReadAssertion {
  const given = text(row, "json_path").trim();
  const operator = text(row, "json_path_operator").trim();
  const op = Object.hasOwn(ops, operator) ? ops[operator] : undefined;
  if (op === undefined) {
    return {
      refused: { text: "Sonde does not support the JSON comparison {op}", params: { op: operator.slice(0, 20) } },
    };
  }
  const property = jsonPathOf(given);
  if (property === null) {
    return { refused: { text: "Its JSON query is not a simple path: {query}", params: { query: given.slice(0, 80) } } };
  }
  return { assertion: { source: "json", property, op, value: text(row, "expected_value") } };
}

/** Converts `data.items[0].name` or `$.ok` to a path of Sonde; `null` for other JSONata expressions. */
export function jsonPathOf(query: string): string | null {
  const path = query.replace(/^\$\.?(?=$|[\p{L}_`[])/u, "");
  let made = "$";
  let at = 0;
  while (at < path.length) {
    step.lastIndex = at;
    const found = step.exec(path);
    if (found === null) return null;
    const [whole, name, quoted, index] = found;
    if (index !== undefined) made += `[${index}]`;
    else if (name !== undefined) made += `.${name}`;
    else made += `['${(quoted ?? "").replace(/[\\']/g, String.raw`\$&`)}']`;
    at += whole.length;
  }
  return made;
}
