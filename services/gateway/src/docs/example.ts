import { referenced, type Schema } from "./document.ts";

/** Example values by name, where a schema has only "text" or "number". */
const byName: Record<string, unknown> = {
  name: "Checkout",
  username: "ada",
  email: "ada@example.com",
  password: "correct horse battery",
  currentPassword: "correct horse battery",
  newPassword: "a longer and better one",
  setupCode: "the code of your installation",
  token: "3q2-7wAB…",
  url: "https://example.com/health",
  publicUrl: "https://status.example.com",
  location: "default",
  locations: ["default"],
  tags: ["shop"],
  tag: "shop",
  target: "monitor:7",
  expectedStatus: 200,
  statusCode: 200,
  timeout: 10,
  interval: 1,
  responseTime: 48.2,
  id: 7,
  monitorId: 7,
  page: 1,
  version: "0.1.0",
  message: "…",
  channelName: "Slack ops",
  channels: [7],
  subject: "{{name}}: {{status}}",
  content: "{{error}}, since {{time}}",
  apiKey: "re_123…",
  from: "Sonde <alerts@example.com>",
  to: "ops@example.com",
  config: { webhookUrl: "••••••" },
  start: "22:30",
  end: "07:00",
  timeZone: "Asia/Shanghai",
  incidentId: "m7",
  note: "Restarting it",
  answer: "ok",
  cause: "Expected status 200, got 503",
  text: "The incident opened: Expected status 200, got 503",
  paused: false,
  stale: false,
  flapping: false,
};
const instant = "2026-01-31T12:00:00Z";
const deepest = 8;

/** A value that a schema takes, as a reader would expect it: what is required or has a familiar name. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>, name = "", depth = 0): unknown {
  const to = referenced(schema);
  if (depth > deepest) return null;
  if (to !== null) return exampleOf(schemas[to] ?? {}, schemas, name, depth + 1);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.default ?? schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  // Fields of any name are shown by one's example; named ones each by its own.
  if (type === "object" && !(name in byName && schema.properties === undefined)) {
    return exampleObject(schema, schemas, depth);
  }
  if (type === "array" && !(name in byName)) {
    return schema.items === undefined ? [] : [exampleOf(schema.items, schemas, name.replace(/s$/, ""), depth + 1)];
  }
  if (schema.format === "date-time") return instant;
  if (name in byName) return byName[name];
  const union = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (union?.[0] !== undefined) return exampleOf(union[0], schemas, name, depth + 1);
  if (schema.default !== undefined) return schema.default;
  if (type === "string") return "…";
  if (type === "integer" || type === "number")
    return schema.minimum !== undefined && schema.minimum > 0 ? schema.minimum : 1;
  return type === "boolean" ? true : null;
}

function exampleObject(schema: Schema, schemas: Record<string, Schema>, depth: number): unknown {
  const required = new Set(schema.required);
  // If no field is required, the example still shows the optional ones.
  const names = Object.keys(schema.properties ?? {}).filter((name, at) =>
    required.size > 0 ? required.has(name) : at < 2,
  );
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(schema.properties![name]!, schemas, name, depth + 1)]),
  );
}
