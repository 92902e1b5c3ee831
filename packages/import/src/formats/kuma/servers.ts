import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { readConditions } from "./conditions.ts";
import { expiryNote, readHeaders, readMinDays } from "./http.ts";
import { flag, type KumaContext, number, type ReadCheck, text } from "./rows.ts";

const noConnection: ReadCheck = { refused: { text: "Its connection string cannot be read" } };
const usualPorts = { postgres: 5432, mysql: 3306, redis: 6379 } as const;

/** Format: `postgres://user:password@host:port/database?sslmode=require`. */
export function readDatabase(row: KumaRow, type: keyof typeof usualPorts): ReadCheck {
  const given = text(row, "database_connection_string").trim();
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || url.hostname === "") return noConnection;
  // In URLs with such schemes, IPv6 addresses keep their brackets and names their case.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const decode = (part: string) => (part === "" ? undefined : decodeOr(part));
  const server = {
    host,
    port: Number(url.port) || usualPorts[type],
    username: decode(url.username),
    password: decode(url.password),
  };
  if (type === "redis") {
    return { check: { type, ...server, tls: url.protocol === "rediss:", verifyTls: !flag(row, "ignore_tls") } };
  }
  const mode = url.searchParams.get("sslmode") ?? url.searchParams.get("ssl") ?? "";
  const { left } = readConditions(text(row, "conditions"), "");
  const notes: TranslatableText[] =
    left === "" ? [] : [{ text: "Conditions not imported: {conditions}", params: { conditions: left } }];
  return {
    check: {
      type,
      ...server,
      // Uptime Kuma stores the MySQL password in a separate field.
      ...(type === "mysql" && text(row, "radius_password") !== "" && { password: text(row, "radius_password") }),
      database: decode(url.pathname.slice(1)),
      query: text(row, "database_query").trim() || undefined,
      tls: !["", "disable", "allow", "prefer", "false", "0"].includes(mode),
      verifyTls: mode.startsWith("verify") || mode === "true",
    },
    notes,
  };
}

function decodeOr(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function readWebSocket(row: KumaRow, around: KumaContext): ReadCheck {
  const headers = readHeaders(text(row, "headers"));
  if (headers === null) return { refused: { text: "Its headers cannot be read" } };
  const protocol = text(row, "ws_subprotocol").trim();
  const verifyTls = !flag(row, "ignore_tls");
  const url = text(row, "url").trim();
  const minDaysLeft = verifyTls && /^wss:/i.test(url) ? readMinDays(row, around) : undefined;
  return {
    check: {
      type: "websocket",
      url,
      headers: protocol === "" ? headers : [...headers, { name: "Sec-WebSocket-Protocol", value: protocol }],
      verifyTls,
      minDaysLeft,
    },
    notes: minDaysLeft === undefined ? [] : [expiryNote(minDaysLeft)],
  };
}

export function readSmtp(row: KumaRow, around: KumaContext): ReadCheck {
  const given = text(row, "smtp_security");
  const security = given === "secure" ? "tls" : given === "starttls" ? "starttls" : "none";
  const minDaysLeft = security === "none" ? undefined : readMinDays(row, around);
  const notes: TranslatableText[] = security === "none" ? [] : [{ text: "Its certificate must be valid" }];
  if (minDaysLeft !== undefined) notes.push(expiryNote(minDaysLeft));
  const host = text(row, "hostname");
  return {
    check: { type: "mail", protocol: "smtp", host, port: number(row, "port") ?? 25, security, minDaysLeft },
    notes,
  };
}

/** Only calls of the gRPC health service can be converted. */
export function readGrpc(row: KumaRow): ReadCheck {
  const isHealth = /^(?:grpc\.health\.v1\.)?Health$/i.test(text(row, "grpc_service_name").trim());
  const isCheck = text(row, "grpc_method").trim().toLowerCase() === "check" && !flag(row, "invert_keyword");
  const address = /^(?:[a-z]+:\/\/)?(?:\[([^\]]+)\]|([^:/]+)):(\d+)$/i.exec(text(row, "grpc_url").trim());
  if (!isHealth || !isCheck || address === null) {
    return {
      refused: { text: "Sonde does not support this type of check ({kind})", params: { kind: "grpc-keyword" } },
    };
  }
  return {
    check: {
      type: "grpc",
      host: address[1] ?? address[2],
      port: Number(address[3]),
      service: /"service"\s*:\s*"([^"]+)"/.exec(text(row, "grpc_body"))?.[1],
      tls: flag(row, "grpc_enable_tls"),
    },
    notes: [{ text: "Becomes a check of the health service (grpc.health.v1)" }],
  };
}
