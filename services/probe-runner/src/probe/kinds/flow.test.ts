import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createGuard } from "@sonde/kit/egress/guard";
import { storedEvidence } from "@sonde/proto/http/incidents/evidence";
import { type CheckDraft, parseCheck } from "@sonde/proto/http/monitors/kinds";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { afterEach, describe, expect, it } from "vitest";
import { type CheckWorld, endingTime, probe, resolverOf } from "../../testing/check.ts";
import { closeServers, freePort, serveHttp } from "../../testing/loopback.ts";
import type { ProbeOutcome } from "../probe.ts";

afterEach(closeServers);

type Steps = Extract<CheckDraft, { type: "flow" }>["steps"];
const run = (steps: Steps, world?: CheckWorld) => {
  // As stored, with each step's defaults.
  const parsed = parseCheck({ type: "flow", steps });
  if (!parsed.success) throw parsed.error;
  return probe(parsed.data, world);
};
const causeOf = (outcome: ProbeOutcome) => ("error" in outcome ? outcome.error?.message : undefined);
const evidenceOf = (outcome: ProbeOutcome) => {
  if (outcome.status !== "down" || outcome.evidence === undefined) throw new Error(`no evidence: ${outcome.status}`);
  return storedEvidence.strict().parse(JSON.parse(JSON.stringify(outcome.evidence({ keepBody: true }))));
};

const token = "s3ss10n/tok+en==";
const orderId = "12345678901234567890";

async function serveShop({ orderStatus = 200, delayMs = 0 } = {}) {
  const requests: { line: string; cookie: string | undefined; body: string; authorization: string | undefined }[] = [];
  let isOpen = false;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "", headers } = request;
    const body = await text(request);
    requests.push({ line: `${method} ${url}`, cookie: headers.cookie, body, authorization: headers.authorization });
    const send = (status: number, value: unknown, more: Record<string, string | string[]> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(value));
    if (url === "/login") {
      isOpen = true;
      const cookies = ["sid=c00kie-1; Path=/; HttpOnly", "admin=no; Path=/admin", "safe=no; Secure"];
      response.writeHead(302, { location: "/welcome", "set-cookie": cookies }).end();
    } else if (url === "/welcome") {
      const whole = `{"data":{"token":${JSON.stringify(token)},"order":${orderId},"ok":true,"none":null}}`;
      response.writeHead(200, { "x-shop": "a b" }).end(whole);
    } else if (!isOpen || !headers.cookie?.includes("sid=c00kie-1") || headers.authorization !== `Bearer ${token}`) {
      send(401, { failure: "not logged in" });
    } else if (url.startsWith("/orders/")) {
      const later = () => send(orderStatus, { state: "paid", repeated: token, sid: "c00kie-1" }, { "x-echo": token });
      setTimeout(later, delayMs);
    } else {
      isOpen = false;
      send(204, null, { "set-cookie": "sid=; Path=/; Max-Age=0" });
    }
  };
  return { origin: await serveHttp((...exchange) => void answer(...exchange)), requests };
}

const bearer = [{ name: "Authorization", value: "Bearer {{token}}" }];
const shopping = (origin: string): Steps => [
  {
    name: "login",
    method: "POST",
    url: `${origin}/login`,
    extract: [
      { name: "token", source: "json", property: "$.data.token" },
      { name: "order", source: "json", property: "$.data.order" },
      { name: "shop", source: "header", property: "X-Shop" },
      { name: "code", source: "status" },
    ],
  },
  {
    name: "order",
    method: "POST",
    url: `${origin}/orders/{{order}}/{{shop}}?t={{token}}&code={{code}}`,
    headers: [...bearer, { name: "Content-Type", value: "application/json" }],
    body: '{"token":"{{token}}"}',
    assertions: [{ source: "json", property: "$.state", op: "equals", value: "paid" }],
  },
  { method: "DELETE", url: `${origin}/session`, headers: bearer, expectedStatus: 204 },
  { url: `${origin}/orders/1`, headers: bearer, expectedStatus: 401 },
];

describe("a flow", () => {
  it("runs its steps in order, with cookies and values of earlier responses, encoded for their place", async () => {
    const { origin, requests } = await serveShop();
    const outcome = await run(shopping(origin));
    expect(outcome).toMatchObject({ status: "up", statusCode: 401 });
    expect(requests.map(({ line, cookie, body }) => ({ line, cookie, body }))).toEqual([
      { line: "POST /login", cookie: undefined, body: "" },
      { line: "GET /welcome", cookie: "sid=c00kie-1", body: "" },
      {
        line: `POST /orders/${orderId}/a%20b?t=${encodeURIComponent(token)}&code=200`,
        cookie: "sid=c00kie-1",
        body: JSON.stringify({ token }),
      },
      { line: "DELETE /session", cookie: "sid=c00kie-1", body: "" },
      { line: "GET /orders/1", cookie: undefined, body: "" },
    ]);
  });

  it("adds up the phases of its steps", async () => {
    const { origin } = await serveShop({ delayMs: 60 });
    const { timings } = (await run(shopping(origin))) as { timings: Record<string, number> };
    expect(timings["firstByte"]).toBeGreaterThan(55);
    expect(timings["total"]).toBeGreaterThan(timings["connect"]! + timings["firstByte"]!);
  });

  it("ends at the first failing step, reports it, and masks sent and extracted values", async () => {
    const { origin, requests } = await serveShop({ orderStatus: 503 });
    const outcome = await run(shopping(origin));
    expect(causeOf(outcome)).toBe("Step 2 (order): Expected status 200, got 503");
    expect(explain(causeOf(outcome)!, "zh-CN")).toBe("步骤 2（order）：期望状态码 200，实际为 503");
    expect(requests).toHaveLength(3);
    const found = evidenceOf(outcome);
    expect(found.steps).toEqual([
      { name: "login", status: 200, ms: expect.any(Number) },
      { name: "order", status: 503, ms: expect.any(Number) },
    ]);
    expect(found.body).toContain("paid");
    for (const secret of [token, "c00kie-1"]) expect(JSON.stringify([found, outcome])).not.toContain(secret);
  });

  it("masks values that a step replaced or removed", async () => {
    let requests = 0;
    const cookies = ["a=first-one; Path=/", "a=x; Max-Age=0; Path=/"];
    const origin = await serveHttp((_request, response) => {
      response.setHeader("set-cookie", cookies[requests] ?? []);
      response.end(JSON.stringify({ id: `id-${requests++}`, words: requests > 2 ? "first-one id-0 id-1 plain" : "" }));
    });
    const extract = [{ name: "id", source: "json" as const, property: "$.id" }];
    const url = `${origin}/`;
    const outcome = await run([
      { url, extract },
      { url, extract },
      { url, expectedStatus: 404 },
    ]);
    expect(evidenceOf(outcome).body).toContain('"words":"•••••• •••••• •••••• plain"');
  });

  it("does not quote a header that repeats a value", async () => {
    const { origin } = await serveShop();
    const [login, order] = shopping(origin);
    const outcome = await run([
      login!,
      { ...order!, assertions: [{ source: "header", property: "X-Echo", op: "equals", value: "x" }] },
    ]);
    expect(causeOf(outcome)).toBe("Step 2 (order): Expected header X-Echo to equal x");
  });

  it.each([
    [{ name: "id", source: "json", property: "$.data.none" }, "Step 1: The response has no value for id"],
    [{ name: "id", source: "json", property: "$.data" }, "Step 1: The response has no value for id"],
    [{ name: "id", source: "header", property: "constructor" }, "Step 1: The response has no value for id"],
  ] as const)("fails if %j has no value", async (extraction, cause) => {
    const { origin } = await serveShop();
    expect(causeOf(await run([{ url: `${origin}/welcome`, extract: [extraction] }]))).toBe(cause);
  });

  it.each([
    ["not JSON", "Step 1: The body is not valid JSON"],
    [JSON.stringify({ a: "x".repeat(4097) }), "Step 1: The value a is larger than 4 KiB"],
    [JSON.stringify({ a: "one\r\nX-Two: 2" }), "Step 2: The value a cannot be sent in a header"],
    [JSON.stringify({ a: "中文" }), "Step 2: The value a cannot be sent in a header"],
    [JSON.stringify({ a: 1, more: "x".repeat(100_000) }), undefined],
  ])("bounds extracted values (%#)", async (body, cause) => {
    const origin = await serveHttp((_request, response) => void response.end(body));
    const outcome = await run([
      { url: origin, extract: [{ name: "a", source: "json", property: "$.a" }] },
      { url: origin, headers: [{ name: "X-One", value: "{{a}}" }] },
    ]);
    expect(causeOf(outcome)).toBe(cause);
  });

  it("does not extract its own secrets from a response", async () => {
    const url = await serveHttp((request, response) => void response.end(JSON.stringify(request.headers)));
    const extract = [{ name: "mine", source: "json" as const, property: "$.authorization" }];
    const headers = [{ name: "Authorization", value: "Bearer very-secret-key" }];
    expect(causeOf(await run([{ url, headers, extract }]))).toBe(
      "Step 1: The value mine contains a secret of this check",
    );
  });

  it("never changes a request's destination, and asks the guard about each step", async () => {
    const { origin } = await serveShop();
    const port = await freePort();
    const guard = createGuard({ denyCidrs: ["127.0.0.9/32"] });
    const outcome = await run([{ url: `${origin}/welcome` }, { url: `http://127.0.0.9:${port}/` }], { guard });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "blocked" } });
    expect(causeOf(outcome)).toMatch(/^Step 2: 127\.0\.0\.9 is denied/);
  });

  it("sends cookies to the host that set them", async () => {
    const { origin, requests } = await serveShop();
    const resolver = resolverOf({
      "shop.test": { addresses: ["127.0.0.1"] },
      "other.test": { addresses: ["127.0.0.1"] },
    });
    const at = (host: string) => origin.replace("127.0.0.1", host);
    await run([{ url: `${at("shop.test")}/login` }, { url: `${at("other.test")}/welcome` }], { resolver });
    expect(requests.map(({ cookie }) => cookie)).toEqual([undefined, "sid=c00kie-1", undefined]);
  });

  it("has one timeout for all steps", async () => {
    const time = endingTime();
    const { origin } = await serveShop();
    const silent = await serveHttp(() => time.runsOut());
    const outcome = await run([{ url: `${origin}/welcome` }, { name: "slow", url: silent }], { signal: time.signal });
    expect(outcome).toMatchObject({ status: "down", error: { kind: "timeout" }, silence: { of: "host" } });
    expect(causeOf(outcome)).toBe("Step 2 (slow): Timed out while waiting for the response");
  });
});
