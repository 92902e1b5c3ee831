import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { withScheme } from "../../lib/typed.ts";
import { kindForms } from "./kinds.ts";

/** A kind of check and the form values that a typed address contains. Missing values are the kind's defaults. */
export type Guess = { type: CheckType; values: Readonly<Record<string, unknown>> };
type Values = Guess["values"];

const mail = (protocol: string, security: string): Guess => ({ type: "mail", values: { protocol, security } });
const plain = (type: CheckType): Guess => ({ type, values: {} });
const encrypted = (type: CheckType): Guess => ({ type, values: { tls: true } });

/** Schemes that differ from the name of their kind. */
const schemes: Readonly<Record<string, Guess>> = {
  postgresql: plain("postgres"),
  mariadb: plain("mysql"),
  rediss: encrypted("redis"),
  valkey: plain("redis"),
  valkeys: encrypted("redis"),
  smtp: mail("smtp", "starttls"),
  smtps: mail("smtp", "tls"),
  imap: mail("imap", "starttls"),
  imaps: mail("imap", "tls"),
  pop3: mail("pop3", "starttls"),
  pop3s: mail("pop3", "tls"),
  grpcs: encrypted("grpc"),
  ping: plain("icmp"),
};

const ports: Readonly<Record<string, Guess>> = {
  25: mail("smtp", "none"),
  465: mail("smtp", "tls"),
  587: mail("smtp", "starttls"),
  143: mail("imap", "starttls"),
  993: mail("imap", "tls"),
  110: mail("pop3", "starttls"),
  995: mail("pop3", "tls"),
  123: plain("ntp"),
  3306: plain("mysql"),
  5432: plain("postgres"),
  6432: plain("postgres"),
  6379: plain("redis"),
  50051: plain("grpc"),
};
const httpPorts = new Set(["80", "3000", "5000", "8000", "8080"]);
const httpsPorts = new Set(["443", "8443"]);

/** Username and password up to the last `@`, host, port, path and query. Excluding `@` behind it keeps this linear. */
const url = /^[a-z][a-z\d+.-]*:\/\/(?:(.*)@)?(\[[\da-f:.]*\]|[^\s:/?#@]*)(?::(\d*))?(?:\/([^?#@]*))?(?:\?([^#@]*))?$/i;
const hostAndPort = /^(\[[\da-f:.]+\]|[^\s:/?#@]+):(\d{1,5})$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const ipv6 = /^\[?(?=[^.]*:[^.]*:)[\da-f:]+\]?$/i;
const cron = /^(?:@[a-z]+|[\d*][\d*,/-]*(?:\s+[\d*a-z,/?#-]+){4,5})$/i;

/** Guesses the kind of check from a typed address. Anything that is not recognized is a web address. */
export function guessKind(typed: string): Guess {
  const text = typed.trim();
  if (/^wss?:/i.test(text)) return { type: "websocket", values: { url: text } };
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase() ?? "";
  const known = Object.hasOwn(schemes, scheme) ? schemes[scheme] : ofName(scheme);
  if (known !== undefined) return { type: known.type, values: { ...known.values, ...partsOf(known.type, text) } };
  if (cron.test(text))
    return { type: "heartbeat", values: { every: { by: "cron", amount: "1", unit: "d" }, cron: text } };
  if (ipv4.test(text) || ipv6.test(text)) return { type: "icmp", values: { host: bare(text) } };
  const [, host = "", port = ""] = hostAndPort.exec(text) ?? [];
  if (port !== "" && !httpsPorts.has(port)) {
    if (httpPorts.has(port)) return { type: "http", values: { url: `http://${text}` } };
    const { type, values } = ports[port] ?? plain("tcp");
    return { type, values: { ...values, host: bare(host), port } };
  }
  const [, protocol] = /^(smtp|imap|pop3|ntp)\d*\.[^\s:/?#@]+$/i.exec(text.replace(/^pop\./i, "pop3.")) ?? [];
  if (protocol?.toLowerCase() === "ntp") return { type: "ntp", values: { host: text } };
  if (protocol !== undefined)
    return { type: "mail", values: { ...mail(protocol.toLowerCase(), "tls").values, host: text } };
  return { type: "http", values: { url: withScheme(text) } };
}

const bare = (host: string) => host.replace(/^\[|\]$/g, "");

/** The kind of this name, if it checks a server. */
function ofName(name: string): Guess | undefined {
  if (!Object.hasOwn(kindForms, name)) return undefined;
  const { fields } = kindForms[name as CheckType];
  return "host" in fields || "domain" in fields ? plain(name as CheckType) : undefined;
}

/** The parts of a URL that the kind has fields for. */
function partsOf(type: CheckType, text: string): Values {
  const [, login = "", host = "", port = "", path = "", query = ""] = url.exec(text) ?? [];
  const [, username = "", password = ""] = /^([^:]*):?([^]*)$/.exec(login) ?? [];
  const parts = {
    host: bare(host),
    domain: host,
    port,
    username: decode(username),
    password: decode(password),
    database: decode(path),
    service: path,
    recordType: path.toUpperCase(),
    tls: /(?:^|&)ssl-?mode=(?:require|verify)/i.test(query),
    // The port decides unless the scheme does, as in `smtps`.
    security: /^\w+s:/i.test(text) ? undefined : ports[port]?.values["security"],
  };
  const { fields } = kindForms[type];
  return Object.fromEntries(Object.entries(parts).filter(([name, value]) => name in fields && Boolean(value)));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
