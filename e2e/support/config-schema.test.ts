import { configSchema } from "@sonde/proto/http/config/document";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
const validate = ajv.compile(configSchema());

const example = {
  source: "prod-git",
  defaults: { monitor: { interval: 1, tags: ["prod"] } },
  channels: { ops: { type: "slack", webhookUrl: { env: "SLACK_URL" } } },
  monitors: {
    db: { type: "tcp", host: "db", port: 5432 },
    shop: {
      url: "https://shop.example.com/health",
      dependsOn: ["monitor:db", "agent:web-1"],
      notify: { channels: ["ops"] },
    },
  },
};

test("the schema is JSON Schema 2020-12 and accepts an example", () => {
  expect(configSchema()).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
  expect([validate(example), validate.errors]).toEqual([true, null]);
});

const monitor = (fields: object) => ({ monitors: { shop: { url: "https://shop.example.com/", ...fields } } });
describe("it accepts", () => {
  test.each([
    ["an empty document", {}],
    ["values from files", monitor({ headers: [{ name: "authorization", value: { file: "secrets/token" } }] })],
    ["cleared fields", monitor({ body: null, minDaysLeft: null })],
    [
      "all kinds",
      {
        monitors: {
          a: { type: "dns", host: "example.com", recordType: "A" },
          b: { type: "tls", host: "a.b", port: 443 },
        },
      },
    ],
    [
      "settings",
      { settings: { monitors: { channels: ["ops"], template: "short" }, agents: { thresholds: { cpu: null } } } },
    ],
    ["templates", { templates: { short: { kind: "down", subject: "{{name}}", content: "{{error}}" } } }],
    [
      "maintenance",
      {
        maintenance: {
          weekly: {
            targets: ["monitor:db"],
            start: "2026-02-01T01:00:00Z",
            end: "2026-02-01T02:00:00Z",
            rrule: "FREQ=WEEKLY",
          },
        },
      },
    ],
    [
      "a status page",
      {
        page: {
          title: "Status",
          monitors: ["shop"],
          groups: [{ name: "a", monitors: ["shop"] }],
          subscriptions: { enabled: true, channel: "mail" },
        },
      },
    ],
  ])("%s", (_what, document) => {
    expect([validate(document), validate.errors]).toEqual([true, null]);
  });
});

describe("it rejects", () => {
  test.each([
    ["unknown fields", monitor({ urll: 1 })],
    [
      "fields of another kind",
      { monitors: { db: { type: "tcp", host: "db", port: 1, url: "https://a.example.com/" } } },
    ],
    ["missing fields", { monitors: { db: { type: "tcp", host: "db" } } }],
    ["invalid values", monitor({ retries: 99 })],
    ["invalid keys", { monitors: { "Bad Key": { url: "https://a.example.com/" } } }],
    ["references without a type", monitor({ dependsOn: ["db"] })],
    ["a channel without a type", { channels: { ops: { webhookUrl: "https://hooks.slack.com/x" } } }],
    ["secrets with two sources", { channels: { ops: { type: "slack", webhookUrl: { env: "A", file: "b" } } } }],
  ])("%s", (_what, document) => {
    expect(validate(document)).toBe(false);
  });
});
