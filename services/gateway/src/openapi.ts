import { type ErrorCode, failure, statusOfCode } from "@sonde/proto/http/envelope";
import { interval } from "@sonde/proto/http/monitors/monitors";
import * as z from "zod";
import { version } from "./config.ts";
import { idempotencyKeyPattern } from "./middleware/idempotency-key.ts";
import { describeAgentRoutes } from "./openapi-agents.ts";
import { describeMcp } from "./openapi-mcp.ts";
import { named } from "./openapi-names.ts";
import { describePings } from "./openapi-pings.ts";
import { describeWebhook } from "./openapi-webhook.ts";
import { describeProviders } from "./routes/sign-in/way.ts";
import { mcpPath, scopeOf } from "./sessions/scopes.ts";
import type { Installation, Route } from "./route.ts";

type Json = { [key: string]: unknown };

/** OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1), from the table that also serves the API. */
export function describeApi(routes: readonly Route[], installation: Installation): Json {
  const schemas: Json = {};
  const schemaOf = createSchemaOf(schemas, installation);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeRoute(route, schemaOf, installation);
  }
  const mcp = paths[mcpPath]?.["post"] as { responses: Json } | undefined;
  if (mcp !== undefined) Object.assign(mcp.responses, describeMcp({ schemaOf, envelope: schemaOf(failure, "output") }));
  Object.assign(
    paths,
    describeAgentRoutes({ schemaOf, failuresOf: refer, headers }),
    describePings(),
    describeProviders(),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: "Sonde",
      version,
      description: basics,
      license: { name: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    webhooks: describeWebhook({ schemaOf }),
    components: {
      securitySchemes: {
        session: { type: "http", scheme: "bearer" },
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "API key of a user or service account. Each operation lists the scope it needs. Operations without a scope do not accept API keys; `any` accepts a key with any scope.",
        },
        agentKey: { type: "http", scheme: "bearer", description: "The agent's key, returned at registration" },
      },
      responses: describeFailures(schemaOf),
      schemas,
    },
  };
}

const basics = `Self-hosted uptime and health monitoring. The web app uses only this API.

- Log in with \`POST /api/auth/login\`, then send the token with every request: \`Authorization: Bearer TOKEN\`. It is valid for 7 days, or until you log out or change the password.
- Programs send an API key in the same header. A key has scopes and its owner's role; see \`POST /api/keys\`.
- Every response is a JSON object. Successful responses have \`success: true\` and named entities; errors have \`success: false\`, a human-readable \`message\` and a \`code\`.
- Times are ISO 8601 in UTC, ids are integers, and unknown fields are rejected with 400.
- \`Accept-Language\` selects the language of messages: Chinese for zh, otherwise English.
- Bodies are at most 1 MiB. After 429 and 503, \`Retry-After\` is the number of seconds to wait.`;

type SchemaOf = (schema: z.ZodType, io: "input" | "output") => Json;

function describeRoute(route: Route, schemaOf: SchemaOf, installation: Installation): Json {
  const description = typeof route.description === "function" ? route.description(installation) : route.description;
  const scope = route.who === "anyone" ? null : scopeOf(route);
  const media = typeof route.answer === "string" ? route.answer : "application/json";
  const schema =
    typeof route.answer === "string"
      ? { type: /\bjson$/.test(media) ? "object" : "string" }
      : schemaOf(route.answer, "output");
  return {
    summary: route.summary,
    ...(description === null ? {} : { description }),
    operationId: operationId(route),
    tags: [wordsOf(route)[0]],
    security: route.who === "anyone" ? [] : [{ session: [] }, ...(scope === null ? [] : [{ apiKey: [scope] }])],
    "x-who": route.who,
    // The format of another program, without an envelope, where unknown parameters are ignored.
    ...(schemaOf(route.query, "input")["additionalProperties"] !== false && { "x-foreign": true }),
    ...(scope === null ? {} : { "x-scope": scope }),
    parameters: [
      ...pathParameters(route, schemaOf),
      ...queryParameters(route, schemaOf),
      ...(route.idempotent ? [idempotencyKey] : []),
    ],
    ...(route.body === null
      ? {}
      : {
          requestBody: {
            // Not required if every field is optional.
            required: !route.body.safeParse({}).success,
            content: { "application/json": { schema: withoutNul(schemaOf(route.body, "input")) } },
          },
        }),
    responses: {
      [route.status]: { description: "Success", headers, content: { [media]: { schema } } },
      ...failures(route),
    },
  };
}

/** `GET /api/monitors/:id/checks` → `getMonitorsIdChecks`. */
function operationId({ method, path }: Route): string {
  const words = wordsOf({ path });
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

const wordsOf = ({ path }: Pick<Route, "path">) => path.replace(/^\/api\//, "").match(/\w+/g) ?? [];

const pathParameters = ({ params }: Route, schemaOf: SchemaOf) =>
  Object.entries(params).map(([name, declared]) => ({
    name,
    in: "path",
    required: true,
    schema:
      typeof declared === "object"
        ? schemaOf(declared.schema, "input")
        : { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  }));

function queryParameters({ query }: Route, schemaOf: SchemaOf) {
  const { properties = {}, required = [] } = schemaOf(query, "input") as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: idempotencyKeyPattern,
    description:
      "Makes retries safe. For 24 hours, the same key and body return the first response and create nothing twice; a different body is 422. A key applies to one user and this route. Use a random value, such as a UUID, because the key also encrypts the stored response.",
  },
};

const headers = {
  "X-Request-Id": { description: "Id of the request; quote it when you report a problem", schema: { type: "string" } },
};
const retryHeaders = {
  ...headers,
  "Retry-After": {
    description: "Seconds to wait before retrying",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

const headersOf: Partial<Record<ErrorCode, Json>> = {
  too_many: retryHeaders,
  unavailable: retryHeaders,
  unauthenticated: {
    ...headers,
    "WWW-Authenticate": {
      description: "`Bearer` (RFC 6750)",
      required: true,
      schema: { type: "string", const: "Bearer" },
    },
  },
};

const errorDescriptions: Record<ErrorCode, string> = {
  invalid: "A parameter or the body is not valid",
  unauthenticated: "No session, or an expired one; at login, wrong credentials; for agents, an invalid token or key",
  forbidden: "Not allowed for this account, or outside the scopes of this key",
  not_found: "Not found",
  method_not_allowed: "Method not allowed",
  conflict: "Conflicts with the current state",
  too_large: "The body is too large",
  misdirected: "The Host header is not a host name of this installation: see PUBLIC_URL",
  impossible: "Valid, but cannot be carried out",
  too_many: "Too many requests",
  internal: "Server error, identified by its request id",
  unavailable: "A service is unavailable",
};

function failures(route: Route): Json {
  const codes: ErrorCode[] = ["invalid", "misdirected", "internal", "unavailable", ...route.refusals];
  if (route.who !== "anyone") codes.push("unauthenticated", "forbidden", "too_many");
  if (Object.keys(route.params).length > 0) codes.push("not_found");
  // A request without a body can also conflict, for example with a source that manages the object.
  if (route.method !== "GET") codes.push("too_large", "conflict", "impossible");
  if (route.body !== null) codes.push("too_many");
  return refer(codes);
}

/** Responses by status. The document would be half as large again with their descriptions in each operation. */
const refer = (codes: readonly ErrorCode[]): Json =>
  Object.fromEntries(codes.map((code) => [statusOfCode[code], { $ref: `#/components/responses/${code}` }]));

function describeFailures(schemaOf: SchemaOf): Json {
  const content = { "application/json": { schema: schemaOf(failure, "output") } };
  const described = Object.entries(errorDescriptions) as [ErrorCode, string][];
  return Object.fromEntries(
    described.map(([code, description]) => [code, { description, headers: headersOf[code] ?? headers, content }]),
  );
}

/** Collects named schemas under `components`. */
function createSchemaOf(schemas: Json, { minIntervalMinutes }: Installation): SchemaOf {
  return (schema, io) => {
    const made = z.toJSONSchema(schema, {
      io,
      metadata: named,
      unrepresentable: "any",
      // Add descriptions and examples.
      override: ({ zodSchema, jsonSchema }) => {
        Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
        if (zodSchema !== interval) return;
        jsonSchema.minimum = minIntervalMinutes;
        delete jsonSchema.exclusiveMinimum;
      },
    }) as Json;
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
    for (const [name, definition] of Object.entries($defs as Record<string, Json>)) {
      const { $id: _id, id: _name, ...plain } = definition;
      schemas[name] ??= plain;
    }
    const { $id: _id, id: _name, ...plain } = rest;
    return plain;
  };
}

/** Adds a pattern that excludes NUL (see `refuseHostile`) to texts without one. */
function withoutNul(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(withoutNul) as unknown as Json;
  if (typeof schema !== "object" || schema === null) return schema as Json;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, withoutNul(part)])) as Json;
  const { type, pattern, format, minLength = 0 } = parts;
  const isText = type === "string" && !("enum" in parts) && !("const" in parts);
  if (!isText || pattern !== undefined || format !== undefined) return parts;
  return { ...parts, pattern: String.raw`^[^\u0000]{${Number(minLength)},}$` };
}
