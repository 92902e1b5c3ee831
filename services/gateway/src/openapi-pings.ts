type Json = { [key: string]: unknown };

const text = (description: string) => ({
  description,
  content: { "text/plain": { schema: { type: "string" } } },
});
const retried = (description: string) => ({
  ...text(description),
  headers: { "Retry-After": { description: "Seconds to wait before retrying", schema: { type: "integer" } } },
});
const inPath = (name: string, description: string, pattern?: string) => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", description, ...(pattern !== undefined && { pattern }) },
});
const inQuery = (name: string, description: string, schema: Json = { type: "string" }) => ({
  name,
  in: "query",
  required: false,
  schema: { ...schema, description },
});

const rid = inQuery("rid", "Id of a run; use the same one for its start and end", { type: "string", format: "uuid" });
const suffixes =
  "`/start` starts a run, `/fail` reports a failure, `/log` only stores output, and an exit code (`/0` to `/255`) reports how the run ended. GET, HEAD and POST behave the same; the first 10,000 bytes of a body are stored. `rows`, `bytes`, `files` and `ms` in the query, or lines such as `rows=120` of the body, are facts about the run. A heartbeat accepts 60 pings per minute in bursts of 10, and an address can have 64 in progress. 200 means the ping is stored; after 429 or 503, retry. The same addresses work without `/ping`, as on hosted healthchecks.io.";
const pingAnswers = {
  200: {
    ...text("`OK`: the ping is stored"),
    headers: { "Ping-Body-Limit": { description: "Maximum stored body size in bytes", schema: { type: "integer" } } },
  },
  400: text("`invalid url format`, or `invalid uuid format` for an invalid `rid`"),
  404: text("`not found`"),
  429: retried("`rate limited`"),
  503: retried("Pings cannot be stored at the moment"),
};

const alike = (id: string, described: Json): Json =>
  Object.fromEntries(
    ["get", "post"].map((method) => [
      method,
      { ...described, operationId: method + id, tags: ["pings"], security: [], "x-who": "address" },
    ]),
  );

const push = (description: string) => ({
  description,
  content: {
    "application/json": {
      schema: { type: "object", properties: { ok: { type: "boolean" }, msg: { type: "string" } }, required: ["ok"] },
    },
  },
});

export const describePings = (): Record<string, Json> => ({
  "/ping/{uuid}": alike("Ping", {
    summary: "Report that a job ran",
    description: suffixes,
    parameters: [inPath("uuid", "UUID from the heartbeat's address"), rid],
    responses: pingAnswers,
  }),
  "/ping/{pingKey}/{slug}": alike("PingBySlug", {
    summary: "Report that a job ran, by the heartbeat's slug",
    description: suffixes,
    parameters: [
      inPath("pingKey", "Ping key of the installation, from `GET /api/ping-key`"),
      inPath("slug", "Slug of the heartbeat", "^[a-z0-9_-]{1,100}$"),
      rid,
      inQuery("create", "`1` creates a missing heartbeat if creating heartbeats on first ping is enabled", {
        const: "1",
      }),
    ],
    responses: { ...pingAnswers, 201: text("`Created`: the heartbeat was created and the ping is stored") },
  }),
  "/api/push/{token}": alike("Push", {
    summary: "Report that a job ran, in the format of Uptime Kuma's push monitors",
    parameters: [
      inPath("token", "Token of an imported heartbeat"),
      inQuery("status", "`up` for success; any other value is a failure", { type: "string", default: "up" }),
      inQuery("msg", "Message from the job"),
      inQuery("ping", "Duration measured by the job, in milliseconds"),
    ],
    responses: {
      200: push("The ping is stored"),
      404: push("The monitor does not exist"),
      429: push("Too many pings"),
      503: push("Pings cannot be stored at the moment"),
    },
  }),
});
