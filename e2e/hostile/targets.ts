import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { type Check, parseCheck } from "@sonde/proto/http/monitors/kinds";
import { channelConfigs } from "@sonde/gateway/testing/fuzz/channel-configs";
import type { Random } from "./random.ts";
import type { Plan } from "./server.ts";
import { mysqlAnswers, postgresAnswers } from "./servers/databases.ts";
import { dnsAnswers, recordTypes } from "./servers/dns.ts";
import { imapAnswers, popAnswers, redisAnswers, smtpAnswers, tcpAnswers, tlsAnswers } from "./servers/lines.ts";
import { ntpAnswers } from "./servers/ntp.ts";
import { grpcAnswers, httpAnswers, rdapAnswers, webSocketAnswers } from "./servers/web.ts";

export type Work =
  | { check: Record<string, unknown>; serviceList?: string }
  | { channel: ChannelTypeName; config: Record<string, unknown> };

/** A client of Sonde that connects to servers of third parties. */
export interface Target {
  name: string;
  plan(random: Random): Plan;
  work(port: number, secure: boolean, random: Random): Work;
}

const host = "127.0.0.1";
const login = { username: "sonde", password: "correct horse" };
const json = { source: "json", property: "$.c0", op: "exists" } as const;
const tlsFields = (secure: boolean) => ({ tls: secure, verifyTls: false });
const mayBeSecure = (random: Random, greets: boolean) => ({ greets, secure: random.chance(0.25) });
/** @throws ZodError if a user could not save the check */
function check(type: Check["type"], fields: Record<string, unknown>): Work {
  const parsed = parseCheck({ type, ...fields });
  if (!parsed.success) throw parsed.error;
  return { check: parsed.data };
}
const url = (port: number, secure: boolean) => `http${secure ? "s" : ""}://${host}:${port}/`;

const http = (name: string, fields: (origin: string) => Record<string, unknown>): Target => ({
  name,
  plan: (random) => ({ answers: httpAnswers(random), ...mayBeSecure(random, false) }),
  work: (port, secure) => check("http", { url: url(port, secure), verifyTls: false, ...fields(url(port, secure)) }),
});

const startTls = ["smtp", "imap", "pop3", "ftp", "ldap", "postgres", "mysql"];
const mailAnswers = { smtp: smtpAnswers, imap: imapAnswers, pop3: popAnswers };
const mail = (protocol: keyof typeof mailAnswers): Target => ({
  name: protocol,
  plan: (random) => ({ answers: mailAnswers[protocol](random), ...mayBeSecure(random, true) }),
  work(port, secure, random) {
    const security = secure ? "tls" : random.pick(["none", "none", "starttls"]);
    return check("mail", { host, port, protocol, security, verifyTls: false, ...(random.chance(0.7) && login) });
  },
});

const probes: readonly Target[] = [
  http("http", () => ({})),
  http("http body", () => ({
    assertions: [
      { source: "json", property: "$.a.b[0]", op: "equals", value: "1" },
      { source: "body", op: "matches", value: "(a+)+$" },
    ],
  })),
  http("http proxy", (origin) => ({ url: "http://192.0.2.1/", proxy: { url: origin, ...login } })),
  http("http token", (origin) => ({
    oauth: { tokenUrl: origin, clientId: "a", clientSecret: "b", authentication: "basic" },
  })),
  {
    name: "http socks",
    plan: (random) => ({
      answers: [Buffer.from([5, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), ...httpAnswers(random)],
      greets: false,
      secure: false,
    }),
    work: (port) => check("http", { url: "http://192.0.2.1/", proxy: { url: `socks5://${host}:${port}`, ...login } }),
  },
  {
    name: "flow",
    plan: (random) => ({ answers: httpAnswers(random), ...mayBeSecure(random, false) }),
    work(port, secure) {
      const step = { url: url(port, secure), method: "GET", expectedStatus: "200-399", headers: [], assertions: [] };
      const extract = [{ name: "id", source: "json", property: "$.id" }];
      return check("flow", {
        steps: [
          { ...step, extract },
          { ...step, extract: [], body: "{{id}}" },
        ],
        verifyTls: false,
      });
    },
  },
  {
    name: "tcp",
    plan: (random) => ({ answers: tcpAnswers(random), greets: random.chance(0.5), secure: false }),
    work: (port) => check("tcp", { host, port, send: "a", expect: "wanted" }),
  },
  {
    name: "tls",
    plan: (random) => ({ answers: tlsAnswers(random), greets: false, secure: random.chance(0.2) }),
    work: (port) => check("tls", { host, port, minDaysLeft: 14 }),
  },
  {
    name: "starttls",
    plan(random) {
      const lines = random.pick([smtpAnswers, imapAnswers, popAnswers, mysqlAnswers, postgresAnswers])(random);
      return { answers: [...lines.slice(0, 3), ...tlsAnswers(random)], greets: random.chance(0.7), secure: false };
    },
    work: (port, _secure, random) => check("tls", { host, port, minDaysLeft: 14, starttls: random.pick(startTls) }),
  },
  {
    name: "ntp",
    plan: (random) => ({ answers: ntpAnswers(random), greets: false, secure: false, udp: true }),
    work: (port) => check("ntp", { host, port }),
  },
  {
    name: "dns",
    plan: (random) => ({ answers: dnsAnswers(random), greets: false, secure: false, udp: true }),
    work: (port, _secure, random) =>
      check("dns", {
        host: "a.example.com",
        recordType: random.pick(recordTypes),
        resolver: `${host}:${port}`,
        expect: ["x"],
      }),
  },
  {
    name: "domain",
    plan: (random) => ({ answers: rdapAnswers(random), greets: false, secure: false }),
    work: (port) => ({
      ...check("domain", { domain: "example.com", minDaysLeft: 30 }),
      serviceList: `http://${host}:${port}/dns.json`,
    }),
  },
  {
    name: "websocket",
    plan: (random) => ({ answers: webSocketAnswers(random), ...mayBeSecure(random, false) }),
    work: (port, secure) =>
      check("websocket", {
        url: `ws${secure ? "s" : ""}://${host}:${port}/`,
        send: "a",
        expect: "wanted",
        verifyTls: false,
      }),
  },
  {
    name: "grpc",
    plan: (random) => ({ answers: grpcAnswers(random), ...mayBeSecure(random, false) }),
    work: (port, secure) => check("grpc", { host, port, ...tlsFields(secure) }),
  },
  mail("smtp"),
  mail("imap"),
  mail("pop3"),
  {
    name: "postgres",
    plan: (random) => ({ answers: postgresAnswers(random), greets: false, secure: false }),
    work: (port) => check("postgres", { host, port, ...login, query: "SELECT 1", assertions: [json] }),
  },
  {
    name: "mysql",
    plan: (random) => ({ answers: mysqlAnswers(random), greets: true, secure: false }),
    work: (port, _secure, random) =>
      check("mysql", { host, port, ...login, query: "SELECT 1", assertions: [json], ...tlsFields(random.chance(0.1)) }),
  },
  {
    name: "redis",
    plan: (random) => ({ answers: redisAnswers(random), ...mayBeSecure(random, false) }),
    work: (port, secure) => check("redis", { host, port, ...login, ...tlsFields(secure) }),
  },
];

const channels = channelTypeNames.map((channel): Target => ({
  name: `channel ${channel}`,
  plan: (random) =>
    channel === "smtp"
      ? { answers: smtpAnswers(random), greets: true, secure: false }
      : { answers: httpAnswers(random), greets: false, secure: false },
  work(port, _secure, random) {
    const config = channelConfigs(`http://${host}:${port}/`)[channel];
    if (channel !== "smtp") return { channel, config };
    return {
      channel,
      config: { ...config, host, port, ...login, security: random.pick(["none", "none", "starttls", "tls"]) },
    };
  },
}));

/** Mail has its own transport; all other channels share one. */
const mailChannel = channels.filter(({ name }) => name === "channel smtp");

export const targetOf = (random: Random): Target =>
  random.chance(0.2) ? random.pick(random.chance(0.4) ? mailChannel : channels) : random.pick(probes);
