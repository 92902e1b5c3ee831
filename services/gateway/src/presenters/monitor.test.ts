import { create } from "@bufbuild/protobuf";
import { MonitorFieldsSchema, MonitorSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { monitor as monitorSchema, monitorInput, monitorPatch } from "@sonde/proto/http/monitors";
import { describe, expect, test } from "vitest";
import { atMs } from "../testing/fakes.ts";
import { toMonitorFields } from "./monitor-fields.ts";
import { presentMonitor } from "./monitor.ts";

const fieldsOf = (body: unknown) => create(MonitorFieldsSchema, toMonitorFields(monitorPatch.parse(body)));
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
  );

describe("a partial input", () => {
  test("carries what it holds, and nothing else", () => {
    const { $typeName: _name, ...fields } = fieldsOf({ name: "shop" });
    expect(fields).toEqual({ name: "shop", clearBody: false });
  });

  test("clears a body by null, and keeps it by silence", () => {
    expect(fieldsOf({ body: null })).toMatchObject({ clearBody: true });
    expect(fieldsOf({ body: "" })).toMatchObject({ clearBody: false, body: "" });
    expect(fieldsOf({})).toMatchObject({ clearBody: false });
  });

  test("tells an emptied list from an absent one", () => {
    expect(fieldsOf({ tags: [], headers: [] })).toMatchObject({ tags: { values: [] }, headers: { headers: [] } });
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
  const fields = toMonitorFields(monitorInput.parse(input));
  expect(fields.headers).toEqual({ headers: [{ name: "x-api-key", value: "s3cret", secret: true }] });
  const answer = shown(fields);
  expect(answer).toMatchObject(input);
  expect(monitorSchema.parse(answer)).toEqual(answer);
});

test("an assertion from before its value's kind was kept answers by what it is compared as", () => {
  const before = (source: string, op: string) => ({ source, property: "$.count", op, value: "3" });
  const assertions = [before("json", "equals"), before("json", "lessThan"), before("latency", "equals")];
  expect(shown({ assertions: { assertions } }).assertions.map(({ value }) => value)).toEqual(["3", 3, 3]);
});

test.each([
  ["200", 200],
  ["200-204,301", "200-204,301"],
])("an expected status %s is shown as %j", (stored, expected) => {
  expect(shown({ expectedStatus: stored }).expectedStatus).toBe(expected);
});

test("a monitor before its first check has no figures", () => {
  expect(shown({ name: "new" })).toMatchObject({
    responseTime: null,
    lastCheckedAt: null,
    nextCheckAt: null,
    uptime: { h24: null, d30: null },
  });
});
