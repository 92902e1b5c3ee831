import { checkTypes, kinds, probedTypes } from "@sonde/proto/http/monitors/kinds";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scopeOf } from "./sessions/scopes.ts";
import { routes } from "./routes/routes.ts";
import { startTestApp, type TestApp, testConfig } from "./testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

type Schema = {
  [name: string]: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Operation = {
  description?: string;
  security: unknown[];
  parameters: { name: string; in: string }[];
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

test("the document is valid OpenAPI 3.1 by the standard's own schema", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(body));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every reference resolves", async () => {
  const { body, text } = await app.ask("GET", "/api/openapi.json");
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    const found = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], body);
    expect(found, reference).toBeTypeOf("object");
  }
});

test("it describes the requests of webhook channels", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const { webhooks, components } = body as unknown as {
    webhooks: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const operation = webhooks["alert"]?.["post"];
  expect(operation?.parameters.map(({ name }) => name)).toContain("webhook-signature");
  expect(operation?.requestBody?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/WebhookEvent",
  });
  expect(Object.keys(components.schemas["WebhookEvent"]?.properties ?? {})).toEqual(["type", "timestamp", "data"]);
});

test("it says that an assertion on a header or on JSON needs its property", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const needs = {
    if: { properties: { source: { enum: ["header", "json"] } }, required: ["source"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["property"] },
  };
  const { paths } = body as unknown as Document;
  const { schema } = paths["/api/monitors"]!["post"]!.requestBody!.content["application/json"]!;
  expect(kindIn(schema, "http")).toMatchObject({ properties: { assertions: { items: needs } } });
});

test("it describes every route, with its ids, body and permission", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const { paths } = body as unknown as Document;
  for (const route of routes) {
    const operation = paths[route.path.replace(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()];
    expect(operation, route.path).toBeDefined();
    const scope = route.who === "anyone" ? null : scopeOf(route);
    const ways = route.who === "anyone" ? [] : [{ session: [] }, ...(scope === null ? [] : [{ apiKey: [scope] }])];
    expect(operation!.security).toEqual(ways);
    expect(operation!.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(
      Object.keys(route.params),
    );
    expect(operation!.requestBody !== undefined).toBe(route.body !== null);
    expect(Object.keys(operation!.responses)).toContain(String(route.status));
  }
  const own = new Set(routes.map(({ path }) => path.replace(/:(\w+)/g, "{$1}")));
  const others = Object.entries(paths).filter(([path]) => !own.has(path));
  expect(others.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))).toEqual([
    "post /agent/v1/register",
    "post /agent/v1/report",
    ...["/ping/{uuid}", "/ping/{pingKey}/{slug}", "/api/push/{token}"].flatMap((path) => [
      `get ${path}`,
      `post ${path}`,
    ]),
    "get /api/auth/oidc/{slug}/start",
    "get /api/auth/oidc/{slug}/callback",
    "post /api/auth/oidc/{slug}/logout",
  ]);
});

test("it describes the errors for missing scopes, managed objects and other kinds", async () => {
  const { paths } = (await app.ask("GET", "/api/openapi.json")).body as unknown as Document;
  const codesOf = (path: string, method: string) => Object.keys(paths[path]![method]!.responses);
  for (const { who, method, path } of routes.filter((route) => route.who !== "anyone"))
    expect([who, path, codesOf(path.replace(/:(\w+)/g, "{$1}"), method.toLowerCase())]).toEqual([
      who,
      path,
      expect.arrayContaining(["401", "403"]),
    ]);
  expect(codesOf("/api/monitors/{id}/ping-url", "post")).toContain("422");
  expect(codesOf("/api/monitors/{id}", "delete")).toContain("409");
});

test("it describes JSON-RPC at /mcp", async () => {
  const { paths } = (await app.ask("GET", "/api/openapi.json")).body as unknown as Document;
  const responses = paths["/mcp"]!["post"]!.responses as Record<
    string,
    { content?: Record<string, { schema: Schema }> }
  >;
  const schemas = Object.entries(responses).map(([code, { content }]) => [code, content?.["application/json"]?.schema]);
  const {
    200: answer,
    202: notified,
    400: invalid,
    404: unknown,
  } = Object.fromEntries(schemas) as Record<string, Schema>;
  expect(Object.keys(answer!.properties!)).toEqual(["jsonrpc", "id", "result", "error"]);
  expect(notified).toBeUndefined();
  for (const refused of [invalid, unknown]) expect(refused!["required"]).toEqual(["jsonrpc", "id", "error"]);
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "403", "413", "429"]));
});

/** The schema of one kind of monitor; other schemas are returned unchanged. */
const kindIn = (schema: Schema, type: string): Schema =>
  schema.oneOf?.find(({ properties }) => properties?.["type"]?.["const"] === type) ?? schema;

test("it describes an input for each kind of check", async () => {
  const { oneOf = [] } = (await bodies(app))["post /api/monitors"]!;
  expect(oneOf.map(({ properties }) => properties?.["type"]?.["const"])).toEqual(checkTypes);
});

test.each([
  ["http", ["name", "url"]],
  ["tcp", ["type", "name", "host", "port"]],
  ["dns", ["type", "name", "host", "recordType"]],
  ["tls", ["type", "name", "host"]],
])("an input for a check of %s needs %j", async (type, required) => {
  const { oneOf = [] } = (await bodies(app))["post /api/monitors"]!;
  expect(kindIn({ oneOf }, type).required).toEqual(required);
});

const bodies = async (of: TestApp): Promise<Record<string, Schema>> => {
  const { paths } = (await of.ask("GET", "/api/openapi.json")).body as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => [`${method} ${path}`, requestBody] as const),
  );
  return Object.fromEntries(
    operations.flatMap(([name, body]) =>
      // The provider's logout is a form.
      body?.content["application/json"] === undefined ? [] : [[name, body.content["application/json"].schema]],
    ),
  );
};

test("the minimum interval is the installation's own", async () => {
  const often = await startTestApp({ config: { ...testConfig, minIntervalMinutes: 0.25 } });
  const intervals = async (of: TestApp) =>
    Object.entries(await bodies(of)).flatMap(([name, schema]) =>
      name.includes(" /api/")
        ? (schema.oneOf ?? [schema]).flatMap(({ properties }) => properties?.["interval"] ?? [])
        : [],
    );
  for (const [of, minimum] of [
    [app, 1],
    [often, 0.25],
  ] as const) {
    const found = await intervals(of);
    // Create and test, by kind; and update.
    expect(found).toHaveLength(2 * probedTypes.length + 1);
    for (const interval of found) {
      const own = (interval as { default?: number }).default === kinds.domain.interval.usual && { minimum: 360 };
      expect(interval).toMatchObject({ type: "number", minimum, ...own, maximum: 7 * 24 * 60 });
      expect(interval).not.toHaveProperty("exclusiveMinimum");
    }
  }
  await often.stop();
});

test("the number of event streams is the installation's own", async () => {
  const other = await startTestApp({ config: { ...testConfig, maxStreamsPerUser: 7 } });
  for (const [of, count] of [
    [app, 20],
    [other, 7],
  ] as const) {
    const { paths } = (await of.ask("GET", "/api/openapi.json")).body as unknown as Document;
    expect(paths["/api/events"]!["get"]!.description).toContain(`at most ${count} streams at once`);
  }
  await other.stop();
});

test("no text that it allows in a request contains NUL", async () => {
  const textsOf = (schema: Schema): Schema[] => [
    ...(schema["type"] === "string" && !("enum" in schema) ? [schema] : []),
    ...Object.values(schema.properties ?? {}).flatMap(textsOf),
    ...(schema.items === undefined ? [] : textsOf(schema.items)),
    ...(schema.anyOf ?? []).flatMap(textsOf),
    ...(schema.oneOf ?? []).flatMap(textsOf),
  ];
  for (const [name, schema] of Object.entries(await bodies(app))) {
    for (const text of textsOf(schema)) {
      const pattern = new RegExp(String(text["pattern"]), "u");
      const tried = ["\0", "a\0b", "https://example.com/\0", "200\0", `${"x".repeat(8)}\0`];
      expect(
        tried.filter((value) => pattern.test(value)),
        `${name}: ${pattern.source}`,
      ).toEqual([]);
    }
  }
});

test.each([
  ["post /api/notifications/channels", "apiKey", [" ", "a\nb"], ["re_1", "••••••"]],
  [
    "post /api/notifications/channels",
    "from",
    ["alerts", "Sonde <alerts>", " "],
    ["a@example.com", "Sonde <a@example.com>"],
  ],
  ["post /api/notifications/channels", "to", ["a@example.com,", "a b@example.com"], ["a@example.com, b@example.com"]],
  [
    "post /api/notifications/channels",
    "botToken",
    ["1:a", `123456:${"x".repeat(51)}`],
    [`123456:${"x".repeat(30)}`, "••••••"],
  ],
  ["post /api/notifications/templates", "subject", [" ", "a\nb"], ["{{name}} is {{status}}"]],
  ["post /api/announcements/{id}/updates", "text", [" ", "\n"], ["We look into it.\n\nMore follows."]],
])("the pattern of %s %s rejects %j and accepts %j, like the API", async (route, field, refused, taken) => {
  const fieldsIn = (schema: Schema): Schema[] => [
    ...(schema.properties?.[field] === undefined ? [] : [schema.properties[field]]),
    ...[...Object.values(schema.properties ?? {}), ...(schema.oneOf ?? [])].flatMap(fieldsIn),
  ];
  const found = fieldsIn((await bodies(app))[route]!);
  const declared = new RegExp(String(found[0]!["pattern"]), "u");
  expect([...refused, ...taken].filter((text) => declared.test(text))).toEqual(taken);
});

test("it contains the limits of schemas", async () => {
  const all = await bodies(app);
  const { properties: monitor } = kindIn(all["post /api/monitors"]!, "http");
  expect(monitor!["name"]).toMatchObject({ minLength: 1, maxLength: 100 });
  expect(monitor!["url"]).toMatchObject({ maxLength: 2048 });
  expect(monitor!["timeout"]).toMatchObject({ maximum: 300 });
  expect(monitor!["body"]).toMatchObject({ anyOf: [{ maxLength: 262_144 }, { type: "null" }] });
  expect(monitor!["headers"]).toMatchObject({ maxItems: 50 });
  expect(monitor!["tags"]).toMatchObject({ maxItems: 20 });
  expect(monitor!["assertions"]).toMatchObject({ maxItems: 20 });
  for (const [route, field] of [
    ["post /api/auth/register", "password"],
    ["post /api/users", "password"],
    ["post /api/users/{id}/change-password", "newPassword"],
  ] as const) {
    expect(all[route]!.properties![field]).toMatchObject({ minLength: 8, maxLength: 256 });
  }
  expect(all["post /api/agents/tokens"]!.properties!["expiresInHours"]).toMatchObject({ maximum: 720 });
  expect(all["put /api/agents/{id}"]!.properties!["name"]).toMatchObject({ minLength: 1, maxLength: 100 });
});

test("it describes rate limits in words", async () => {
  const { paths } = (await app.ask("GET", "/api/openapi.json")).body as unknown as Document;
  const wordsAt = (path: string) => paths[path]!["post"]!.description;
  expect(wordsAt("/api/auth/register")).toContain("100 registrations per address in 15 minutes");
  expect(wordsAt("/api/auth/login")).toContain("10 failed logins");
  expect(wordsAt("/api/users/{id}/change-password")).toContain("10 times in 15 minutes");
});

/** Requests at each limit and beyond it. */
const shop = { name: "shop", url: "https://example.com" };
const url = (length: number) => `https://example.com/${"x".repeat(length - 20)}`;
const times = <Entry>(count: number, entry: (at: number) => Entry) =>
  Array.from({ length: count }, (_, at) => entry(at));
const header = (at: number) => ({ name: `X-${at}`, value: "1" });
const latency = { source: "latency", op: "lessThan", value: 5 };
test.each([
  ["name", { name: "x".repeat(100) }, { name: "x".repeat(101) }, "name"],
  ["url", { url: url(2048) }, { url: url(2049) }, "url"],
  ["body", { method: "POST", body: "x".repeat(262_144) }, { method: "POST", body: "x".repeat(262_145) }, "body"],
  ["a body of letters that take three bytes", { method: "POST", body: "界".repeat(262_144) }, null, ""],
  ["headers", { headers: times(50, header) }, { headers: times(51, header) }, "headers"],
  ["tags", { tags: times(20, String) }, { tags: times(21, String) }, "tags"],
  ["assertions", { assertions: times(20, () => latency) }, { assertions: times(21, () => latency) }, "assertions"],
  ["timeout", { interval: 10, timeout: 300 }, { interval: 10, timeout: 300.1 }, "timeout"],
  ["interval", { interval: 10_080 }, { interval: 10_081 }, "interval"],
])("the limit of %s is what the document says", async (_name, allowed, refused, path) => {
  const within = await app.ask("POST", "/api/monitors", { as: "user", body: { ...shop, ...allowed } });
  expect(within.status).toBe(201);
  if (refused === null) return;
  const beyond = await app.ask("POST", "/api/monitors", { as: "user", body: { ...shop, ...refused } });
  expect([beyond.status, (beyond.body["errors"] as { path: string }[])[0]!.path]).toEqual([400, path]);
});

test.each([
  [7, 400],
  [8, 201],
  [256, 201],
  [257, 400],
])("a password of %i characters is %i", async (length, status) => {
  const body = { username: "new", password: "p".repeat(length) };
  expect((await app.ask("POST", "/api/auth/register", { body })).status).toBe(status);
});

test.each([
  [720, 201],
  [721, 400],
])("a token for %i hours is %i", async (expiresInHours, status) => {
  const answer = await app.ask("POST", "/api/agents/tokens", { as: "user", body: { expiresInHours } });
  expect(answer.status).toBe(status);
});

test("it describes the agents' requests and responses, with their own keys", async () => {
  const { body } = await app.ask("GET", "/api/openapi.json");
  const { paths, components } = body as unknown as Document & { components: { securitySchemes: object } };
  const { register, report } = {
    register: paths["/agent/v1/register"]?.["post"] as Operation,
    report: paths["/agent/v1/report"]?.["post"] as Operation,
  };
  expect(components.securitySchemes).toHaveProperty("agentKey");
  expect([register.security, report.security]).toEqual([[], [{ agentKey: [] }]]);
  expect(Object.keys(register.responses)).toEqual(expect.arrayContaining(["201", "400", "401", "413", "429", "503"]));
  expect(Object.keys(report.responses)).toEqual(expect.arrayContaining(["200", "400", "401", "413", "429", "503"]));
  const { content } = report.requestBody as { content: Record<string, { schema: { properties: object } }> };
  expect(Object.keys(content)).toEqual(["application/json", "application/x-protobuf"]);
  expect(content["application/json"]?.schema).toMatchObject({
    properties: { samples: { minItems: 1, maxItems: 500, items: { required: ["at"] } } },
  });
});
