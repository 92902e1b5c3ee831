import type { KumaRow } from "@sonde/proto/http/import";
import { readDns } from "./dns.ts";
import { readHttp } from "./http.ts";
import { readJsonQuery } from "./json-query.ts";
import type { KumaContext, ReadAssertion, ReadCheck } from "./read-check.ts";
import { readPort } from "./port.ts";
import { flag, text } from "./rows.ts";

/** What a row checks, as fields of Sonde's kinds (server/model/monitor.js of Uptime Kuma 1.23 and 2). */
export function readCheck(row: KumaRow, around: KumaContext): ReadCheck {
  if (flag(row, "upside_down")) return { refused: { text: "Sonde has no upside-down mode" } };
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
    case "dns":
      return readDns(row);
    case "":
      return { refused: { text: "Its kind is not known" } };
    default:
      return { refused: { text: "Sonde has no check of this kind ({kind})", params: { kind: type.slice(0, 40) } } };
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
