import { ConfigError } from "@sonde/kit/service/config";
import { expect, it } from "vitest";
import { readConfig, warnings } from "./config.ts";

it("has defaults for everything", () => {
  const config = readConfig({});

  expect(config).toEqual({
    PORT: 8080,
    HOST: "127.0.0.1",
    OPS_PORT: 0,
    SONDE_WEB_PORT: 5173,
    PROBE_LOCATION: "default",
    SONDE_BACKUP_KEEP: 14,
    SONDE_BACKUP_WITH_KEY: false,
    natsUrls: {},
    databaseUrls: {},
  });
});

it("reports all errors at once", () => {
  const read = () =>
    readConfig({
      PORT: "eighty",
      NATS_URL: "localhost",
      SONDE_SECRET_KEY: "short",
      AUTH_REGISTRATION: "maybe",
      PROBE_DENY_CIDRS: "10.0.0.0/8,everything",
    });

  expect(read).toThrow(ConfigError);
  for (const name of ["PORT", "NATS_URL", "SONDE_SECRET_KEY", "AUTH_REGISTRATION", "PROBE_DENY_CIDRS"]) {
    expect(read).toThrow(new RegExp(`^ {2}${name}: \\S`, "m"));
  }
});

it("accepts a backup schedule only with a destination", () => {
  const schedule = { SONDE_BACKUP_SCHEDULE: "15 2 * * *" };
  expect(readConfig({ ...schedule, SONDE_BACKUP_TO: "/backups/" })).toMatchObject(schedule);
  expect(() => readConfig(schedule)).toThrow(/^ {2}SONDE_BACKUP_TO: is needed with/m);
  const never = { SONDE_BACKUP_SCHEDULE: "at night", SONDE_BACKUP_TO: "/backups/" };
  expect(() => readConfig(never)).toThrow(/^ {2}SONDE_BACKUP_SCHEDULE: must be a cron expression/m);
});

it("treats an empty variable as unset", () => {
  expect(readConfig({ PORT: "", CLICKHOUSE_URL: "" })).toMatchObject({ PORT: 8080 });
});

it("reports each error in the variables of all services once", () => {
  const invalid = {
    GATEWAY_MAX_STREAMS: "many",
    AGENT_REPORTS_PER_MINUTE: "0",
    PROBE_MAX_IN_FLIGHT: "1",
    OPS_PORT: "-1",
    AUTH_SETUP_CODE: "x".repeat(300),
    RETENTION_ROLLUP_DAYS: "7",
    MONITOR_MIN_INTERVAL_SECONDS: "soon",
    TRUSTED_PROXIES: "10.0.0.0/99",
    PUBLIC_URL: "https://example.com/sonde?page=1",
    DATABASE_URL: "postgres://[wrong",
    LOG_LEVEL: "loud",
  };

  const message = messageOf(() => readConfig(invalid));

  const reported = message
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(":")[0]);
  expect(reported).toHaveLength(Object.keys(invalid).length);
  expect(new Set(reported)).toEqual(new Set(Object.keys(invalid)));
});

it("warns of unknown variables that look like Sonde's", () => {
  const warned = warnings({
    MONITOR_INTERVAL: "1",
    SONDE_AGENT_TOKEN: "x",
    PROBE_LOCATION: "eu1",
    SONDE_DATADIR: "x",
    HOME: "/root",
  });

  expect(warned).toEqual([
    "Unknown variable MONITOR_INTERVAL.",
    "Unknown variable SONDE_DATADIR. Did you mean SONDE_DATA_DIR?",
  ]);
});

it.each([
  ["AUTH_REGISTRATON", "AUTH_REGISTRATION"],
  ["GATEWAY_MAX_STREAM", "GATEWAY_MAX_STREAMS"],
  ["AGENT_REPORT_PER_MINUTE", "AGENT_REPORTS_PER_MINUTE"],
  ["OIDC_CLIENTID", "OIDC_CLIENT_ID"],
  ["PUBLC_URL", "PUBLIC_URL"],
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["NATS_URL_NOTIFER", "NATS_URL_NOTIFIER"],
])("suggests the variable that %s is similar to", (name, meant) => {
  expect(warnings({ [name]: "x" })).toEqual([`Unknown variable ${name}. Did you mean ${meant}?`]);
});

it("does not warn of its own or other programs' variables", () => {
  const others = [
    "HOSTNAME",
    "AGENT_NAME",
    "AUTH_TOKEN",
    "AWS_REGION",
    "BACKUP_TOKEN",
    "NODE_OPTIONS",
    "LOGNAME",
    "CI",
  ];
  expect(warnings(Object.fromEntries(others.map((name) => [name, "x"])))).toEqual([]);
  expect(warnings({ SONDE_KEY_CHECK: "x", DATABASE_URL_AUTH: "x", SONDE_ABANDON_SECRETS: "1" })).toEqual([]);
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (fault) {
    return (fault as Error).message;
  }
}
