type Json = { [key: string]: unknown };

const text = (description: string) => ({
  description,
  content: { "text/plain": { schema: { type: "string" } } },
});
const retried = (description: string) => ({
  ...text(description),
  headers: { "Retry-After": { description: "Seconds until another try makes sense", schema: { type: "integer" } } },
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

const rid = inQuery("rid", "Of one run: its start and its end carry the same", { type: "string", format: "uuid" });
const suffixes =
  "With `/start` a run begins, `/fail` says that it failed, `/log` only leaves what it sent, and an exit code (`/0` to `/255`) says how it ended. GET, HEAD and POST are alike; the first 10,000 bytes of a body are kept. A heartbeat takes 60 calls a minute, ten of them at once; an address has 64 under way. 200 is answered once the call is stored: after 429 and 503, come again. The same addresses work without `/ping`, as the hosted healthchecks.io has them.";
const pingAnswers = {
  200: {
    ...text("`OK`: it is stored"),
    headers: { "Ping-Body-Limit": { description: "What is kept of a body, bytes", schema: { type: "integer" } } },
  },
  400: text("`invalid url format`, or `invalid uuid format` of `rid`"),
  404: text("`not found`"),
  429: retried("`rate limited`"),
  503: retried("Nothing can be stored at the moment"),
};

/** Once for GET and once for POST. */
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

/** What jobs call: the addresses of heartbeats, as healthchecks.io and Uptime Kuma have them. */
export const describePings = (): Record<string, Json> => ({
  "/ping/{uuid}": alike("Ping", {
    summary: "Say that a job ran",
    description: suffixes,
    parameters: [inPath("uuid", "Of the heartbeat's own address"), rid],
    responses: pingAnswers,
  }),
  "/ping/{pingKey}/{slug}": alike("PingBySlug", {
    summary: "The same, by the heartbeat's slug",
    description: suffixes,
    parameters: [
      inPath("pingKey", "Of the installation: `GET /api/ping-key`"),
      inPath("slug", "Of the heartbeat", "^[a-z0-9_-]{1,100}$"),
      rid,
      inQuery("create", "`1` makes the heartbeat where there is none, if the ping key allows that", { const: "1" }),
    ],
    responses: { ...pingAnswers, 201: text("`Created`: the heartbeat was made, and the call is stored") },
  }),
  "/api/push/{token}": alike("Push", {
    summary: "The same, as Uptime Kuma's push monitors have it",
    parameters: [
      inPath("token", "Of a heartbeat that was imported"),
      inQuery("status", "`up`, or else it failed", { type: "string", default: "up" }),
      inQuery("msg", "What the job says"),
      inQuery("ping", "Milliseconds that the job measured"),
    ],
    responses: {
      200: push("It is stored"),
      404: push("There is no such monitor"),
      429: push("Too many calls"),
      503: push("Nothing can be stored at the moment"),
    },
  }),
});
