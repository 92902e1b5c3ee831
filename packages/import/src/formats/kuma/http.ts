import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { readConnection } from "./connection.ts";
import { flag, json, jsonObject, type KumaContext, number, type ReadCheck, text } from "./rows.ts";

/** As in services/probe-runner/src/probe/kinds/http.ts. */
const maxRedirects = 10;

type Header = { name: string; value: string };

/** Content types that Uptime Kuma sends if the headers contain none. */
const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  xml: "text/xml; charset=utf-8",
};

export function readHttp(row: KumaRow, around: KumaContext): ReadCheck {
  const connection = readConnection(row, around);
  if ("refused" in connection) return connection;
  const login = readLogin(row);
  if ("refused" in login) return login;
  const given = readHeaders(text(row, "headers"));
  if (given === null) return { refused: { text: "Its headers cannot be read" } };
  const expectedStatus = readExpectedStatus(text(row, "accepted_statuscodes_json"));
  if (expectedStatus === null) return { refused: { text: "Its expected status codes cannot be read" } };
  const body = text(row, "body").trim() === "" ? undefined : text(row, "body");
  const headers = merge([...contentType(row, body), ...login.headers], given);
  const verifyTls = !flag(row, "ignore_tls");
  const minDaysLeft = verifyTls && /^https:/i.test(login.url) ? readMinDays(row, around) : undefined;
  return {
    check: {
      type: "http",
      url: login.url,
      method: (text(row, "method") || "GET").toUpperCase(),
      expectedStatus,
      headers,
      body,
      followRedirects: number(row, "maxredirects") !== 0,
      verifyTls,
      minDaysLeft,
      ...connection.fields,
    },
    notes: [...connection.notes, ...(minDaysLeft === undefined ? [] : [expiryNote(minDaysLeft)]), ...lostOptions(row)],
  };
}

export const expiryNote = (days: number): TranslatableText => ({
  text: "Down if its certificate expires in less than {days} days",
  params: { days },
});

function lostOptions(row: KumaRow): TranslatableText[] {
  const notes: TranslatableText[] = [];
  const redirects = number(row, "maxredirects") ?? maxRedirects;
  if (redirects !== 0 && redirects !== maxRedirects) {
    notes.push({ text: "Follows up to {to} redirects, not {from}", params: { from: redirects, to: maxRedirects } });
  }
  if (flag(row, "cache_bust")) notes.push({ text: "Does not add the random query parameter that bypasses caches" });
  return notes;
}

/** Moves credentials in the URL to a header. */
function readLogin(row: KumaRow): { url: string; headers: Header[] } | { refused: TranslatableText } {
  const given = text(row, "url").trim();
  const method = text(row, "auth_method");
  const user = text(row, "basic_auth_user");
  // Early versions had no method, only a user name.
  const isBasic = method === "basic" || (row["auth_method"] === undefined && user !== "");
  if (isBasic) return { url: given, headers: [basic(user, text(row, "basic_auth_pass"))] };
  if (method === "bearer") {
    const token = text(row, "bearer_token").trim();
    if (token === "") return { refused: { text: "Its bearer token is empty" } };
    return { url: given, headers: [{ name: "Authorization", value: `Bearer ${token}` }] };
  }
  const isConnection = method === "mtls" || method === "oauth2-cc";
  if (method !== "" && method !== "null" && !isConnection) {
    return {
      refused: {
        text: "It logs in with {method}, which Sonde does not support",
        params: { method: method.slice(0, 40) },
      },
    };
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || (url.username === "" && url.password === "")) return { url: given, headers: [] };
  const header = basic(decode(url.username), decode(url.password));
  url.username = "";
  url.password = "";
  return { url: url.href, headers: [header] };
}

const basic = (user: string, password: string): Header => ({
  name: "Authorization",
  value: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `null` if it is not a JSON object of plain values. */
export function readHeaders(given: string): Header[] | null {
  if (given.trim() === "") return [];
  const fields = jsonObject(given);
  if (fields === null) return null;
  const entries = Object.entries(fields);
  if (entries.some(([, value]) => typeof value === "object" && value !== null)) return null;
  return entries.map(([name, value]) => ({ name, value: String(value) }));
}

/** Headers of the user win. */
function merge(made: readonly Header[], own: readonly Header[]): Header[] {
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  return [...made.filter(({ name }) => !names.has(name.toLowerCase())), ...own];
}

function contentType(row: KumaRow, body: string | undefined): Header[] {
  const value = body === undefined ? undefined : contentTypes[text(row, "http_body_encoding") || "json"];
  return value === undefined ? [] : [{ name: "Content-Type", value }];
}

/** Converts `["200-299", "301"]` to `200-299,301`. */
function readExpectedStatus(given: string): string | null {
  if (given.trim() === "") return "200-299";
  const codes = json(given);
  if (!Array.isArray(codes) || codes.length === 0) return null;
  return codes.every((code) => typeof code === "string" || typeof code === "number") ? codes.join(",") : null;
}

/** Uptime Kuma warns several times before a certificate expires; this takes the last threshold. */
export function readMinDays(row: KumaRow, { expiryDays }: KumaContext): number | undefined {
  return flag(row, "expiry_notification", true) ? Math.min(...expiryDays) : undefined;
}
