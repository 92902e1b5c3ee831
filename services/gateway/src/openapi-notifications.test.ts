import { channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./testing/test-app.ts";

type Schema = {
  $ref?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  [keyword: string]: unknown;
};
type Operation = {
  description?: string;
  parameters: { name: string; schema: Schema }[];
  requestBody: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

let app: TestApp;
let document: Document;
beforeAll(async () => {
  app = await startTestApp();
  document = (await app.ask("GET", "/api/openapi.json")).body as unknown as Document;
});
afterAll(() => app.stop());

const at = (method: string, path: string) => document.paths[`/api/${path}`]![method]!;
const bodyOf = (method: string, path: string) => at(method, path).requestBody.content["application/json"]!.schema;
const answerOf = (method: string, path: string) =>
  at(method, path).responses["200"]!.content["application/json"]!.schema;
const named = (name: string) => `#/components/schemas/${name}`;

test("a channel is described by type, each with its own configuration", () => {
  const { oneOf = [] } = bodyOf("post", "notifications/channels");
  expect(oneOf.map(({ properties }) => properties?.["type"]?.["const"])).toEqual(channelTypeNames);
  const [resend, slack] = oneOf;
  expect(resend?.properties?.["config"]?.required).toEqual(["apiKey", "from", "to"]);
  expect(slack?.properties?.["config"]?.required).toEqual(["webhookUrl"]);
});

test.each([
  ["notifications/channels", "channels", "NotificationChannel"],
  ["notifications/templates", "templates", "NotificationTemplate"],
  ["notifications/deliveries", "deliveries", "Delivery"],
  ["notifications/unsent", "unsent", "UnsentAlert"],
  ["incidents/{id}", "timeline", "TimelineEntry"],
])("%s returns a list of named schemas", (path, list, name) => {
  expect(answerOf("get", path).properties?.[list]?.items?.$ref).toBe(named(name));
});

test("settings are returned with every field, and accepted with none", () => {
  const settings = answerOf("get", "notifications/settings").properties;
  expect(settings?.["globalAgent"]?.$ref).toBe(named("GlobalAgentNotificationSettings"));
  expect(settings?.["monitors"]?.["additionalProperties"]).toEqual({ $ref: named("MonitorNotificationSettings") });
  expect(document.components.schemas["GlobalAgentNotificationSettings"]?.required).toEqual(
    expect.arrayContaining(["enabled", "channels", "events", "thresholds", "cooldownMinutes"]),
  );
  const { properties, required } = bodyOf("put", "notifications/settings/global-agent");
  expect(properties?.["thresholds"]).toMatchObject({ properties: { cpu: { default: 90 } } });
  expect(required).toBeUndefined();
});

test("an incident id is a string, target and channel ids are numbers", () => {
  const typeOf = (method: string, path: string) => at(method, path).parameters[0]?.schema["type"];
  expect(typeOf("get", "incidents/{id}")).toBe("string");
  expect(typeOf("post", "incidents/{id}/acknowledge")).toBe("string");
  expect(typeOf("put", "notifications/channels/{id}")).toBe("integer");
  expect(typeOf("put", "notifications/settings/agent/{targetId}")).toBe("integer");
});

test("limits are described in words", () => {
  expect(at("post", "notifications/channels/{id}/test").description).toBe(
    "Per user, at most 40 per minute and 3 at once, otherwise 429.",
  );
  expect(at("get", "incidents/acknowledge-link").description).toBe("At most 30 per minute and address, otherwise 429.");
  expect(at("post", "incidents/acknowledge-link/undo").description).toContain("At most 30 per minute and address");
  for (const method of ["get", "post"]) {
    expect(Object.keys(at(method, "incidents/acknowledge-link").responses)).toEqual(
      expect.arrayContaining(["404", "429"]),
    );
  }
});
