import { create } from "@bufbuild/protobuf";
import { MonitorFieldsSchema, MonitorSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { monitor as monitorSchema, monitorInput, monitorPatch } from "@sonde/proto/http/monitors";
import { describe, expect, test } from "vitest";
import { atMs } from "../testing/fakes.ts";
import { toMonitorFields } from "./monitor-fields.ts";
import { presentMonitor } from "./monitor.ts";

const fieldsOf = (body: unknown) => create(MonitorFieldsSchema, toMonitorFields(monitorPatch.parse(body)));
const checkOf = (body: unknown) => JSON.parse(fieldsOf(body).check ?? "null") as unknown;
const shown = (fields: unknown) =>
  presentMonitor(
    create(MonitorSchema, {
      id: 7,
      fields: create(MonitorFieldsSchema, fields as object),
      status: "pending",
      statusSinceMs: atMs,
      createdAtMs: atMs,
      updatedAtMs: atMs,
    }),
    undefined,
    undefined,
  );

describe("a partial input", () => {
  test("carries what it holds, and nothing else", () => {
    const { $typeName: _name, ...fields } = fieldsOf({ name: "shop" });
    expect(fields).toEqual({ name: "shop" });
  });

  test("carries the fields of the check as one value, cleared ones as null", () => {
    expect(checkOf({ name: "shop", method: "HEAD", body: null })).toEqual({ method: "HEAD", body: null });
    expect(checkOf({ body: "" })).toEqual({ body: "" });
    expect(checkOf({ name: "shop" })).toBeNull();
  });

  test("tells an emptied list from an absent one", () => {
    expect(fieldsOf({ tags: [] })).toMatchObject({ tags: { values: [] } });
    expect(checkOf({ headers: [] })).toEqual({ headers: [] });
    expect(fieldsOf({}).tags).toBeUndefined();
  });
});

test("a whole input comes back as it was sent", () => {
  const input = {
    name: "shop",
    url: "https://example.com/health",
    method: "POST" as const,
    interval: 5,
    timeout: 2.5,
    expectedStatus: "2xx",
    headers: [{ name: "x-api-key", value: "s3cret" }],
    body: "{}",
    followRedirects: false,
    verifyTls: false,
    retries: 0,
    assertions: [
      { source: "json" as const, property: "$.ok", op: "equals" as const, value: "true" },
      { source: "json" as const, property: "$.count", op: "equals" as const, value: 3 },
      { source: "latency" as const, op: "lessThan" as const, value: 500 },
      { source: "latency" as const, op: "lessThan" as const, value: "500" },
      { source: "header" as const, property: "etag", op: "exists" as const },
    ],
    tags: ["a"],
    locations: ["default"],
    paused: true,
  };
  const answer = shown(toMonitorFields(monitorInput.parse(input)));
  expect(answer).toMatchObject({ type: "http", ...input });
  expect(monitorSchema.parse(answer)).toEqual(answer);
});

test.each([
  { type: "tcp", name: "db", host: "db", port: 5432, send: "PING", expect: "PONG" },
  { type: "dns", name: "zone", host: "example.com", recordType: "MX", expect: ["10 mail.example.com"] },
  { type: "tls", name: "site", host: "example.com", port: 443, minDaysLeft: 14 },
])("$type comes back as it was sent", (input) => {
  const answer = shown(toMonitorFields(monitorInput.parse(input)));
  expect(answer).toMatchObject(input);
  expect(monitorSchema.parse(answer)).toEqual(answer);
});

test("a monitor before its first check has no figures", () => {
  expect(shown(toMonitorFields(monitorInput.parse({ name: "new", url: "https://example.com/" })))).toMatchObject({
    responseTime: null,
    lastCheckedAt: null,
    nextCheckAt: null,
    uptime: { h24: null, d30: null },
  });
});
