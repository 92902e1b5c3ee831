import { alertKinds } from "@sonde/proto/http/incidents/alerts";
import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileMessage, messageOf, sendOnce } from "../../testing/sending.ts";
import { start } from "../../testing/stand-ins/webhook.ts";
import { channel } from "./webhook.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

const send = (message = messageOf("down"), changes: object = {}, atMs?: number) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message, { atMs });
const last = () => standIn.requests.at(-1)!;

describe("the request", () => {
  test.each(alertKinds)("has the documented schema for %s, and both signatures", async (kind) => {
    const outcome = await send(messageOf(kind, { isTest: kind === "test" }));
    expect(outcome).toEqual({ outcome: "delivered", statusCode: 204, answer: "HTTP 204" });
    const event = webhookEvent.strict().parse(standIn.accepted.at(-1)?.json);
    expect(event).toMatchObject({ type: `alert.${kind}`, data: { kind, incident: { id: "m12" } } });
    expect(event.data.incident.url).toBe(kind === "test" ? undefined : "https://sonde.example.com/incidents/m12");
    expect(last().headers).toMatchObject({ "content-type": "application/json", "user-agent": "Sonde" });
    expect(JSON.stringify(event)).not.toContain("acknowledge");
  });

  test("omits what an incident does not have: an address of a heartbeat, a threshold of a silent location", async () => {
    await send(messageOf("stale", { metric: "default", address: "" }));
    const { data } = webhookEvent.strict().parse(standIn.accepted.at(-1)?.json);
    expect(data.threshold).toBeUndefined();
    expect(data.target).not.toHaveProperty("address");
  });

  test("has what the incident shares with others, with at most 20 of these", async () => {
    const cause = { fact: "resolver", value: "192.0.2.53", sharing: 30, failing: 31, healthy: 12 } as const;
    const incidentIds = Array.from({ length: 30 }, (_, index) => `m${index + 1}`);
    await send({ ...messageOf("down"), sharedCause: { ...cause, incidentIds } });
    const { data } = webhookEvent.strict().parse(standIn.accepted.at(-1)?.json);
    expect(data.sharedCause).toEqual({ ...cause, incidentIds: incidentIds.slice(0, 20) });
    await send();
    expect(webhookEvent.parse(standIn.accepted.at(-1)?.json).data).not.toHaveProperty("sharedCause");
  });

  test("has the same id at each attempt, and the time and signatures of that attempt", async () => {
    const atMs = Date.now();
    await send(messageOf("down"), {}, atMs);
    await send(messageOf("down"), {}, atMs + 61_000);
    const [one, other] = standIn.requests.slice(-2).map(({ headers }) => headers);
    expect(one?.["webhook-id"]).toBe("msg_1");
    expect(other?.["webhook-id"]).toBe("msg_1");
    expect(Number(other?.["webhook-timestamp"])).toBe(Math.floor((atMs + 61_000) / 1000));
    expect(other?.["webhook-signature"]).not.toBe(one?.["webhook-signature"]);
    expect(standIn.accepted.slice(-2)).toEqual(standIn.requests.slice(-2));
  });

  test("is rejected if it was signed with another secret", async () => {
    const other = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
    expect(await send(undefined, { secret: other })).toMatchObject({ outcome: "retry", statusCode: 401 });
  });

  test("signs with the characters of a secret without whsec_ prefix, and does not sign without a secret", async () => {
    await send(undefined, { secret: "plain secret" });
    const { headers, text } = last();
    new Webhook("plain secret", { format: "raw" }).verify(text, { ...headers });
    const [time] = /\d+/.exec(headers["x-sonde-signature"] ?? "") ?? [];
    const signature = createHmac("sha256", "plain secret").update(`${time}.${text}`).digest("hex");
    expect(headers["x-sonde-signature"]).toBe(`t=${time},v1=${signature}`);

    await send(undefined, { secret: undefined });
    expect(last().headers).toMatchObject({ "webhook-id": "msg_1" });
    expect(last().headers).not.toHaveProperty("webhook-signature");
    expect(last().headers).not.toHaveProperty("x-sonde-signature");
  });

  test("has the user's headers and method, but signed headers cannot be overridden", async () => {
    const headers = [
      { name: "Authorization", value: "Bearer abc" },
      { name: "Webhook-Id", value: "forged" },
      { name: "User-Agent", value: "Own/1" },
    ];
    await send(undefined, { method: "PUT", headers });
    expect(last()).toMatchObject({ method: "PUT", path: "/hooks/sonde" });
    expect(last().headers).toMatchObject({ authorization: "Bearer abc", "webhook-id": "msg_1", "user-agent": "Own/1" });
  });

  test.each(["en-US", "zh-CN"] as const)(
    "stays below 20 KB and is valid JSON for any text, in %s",
    async (language) => {
      await send(hostileMessage(language));
      expect(Buffer.byteLength(last().text)).toBeLessThan(20_000);
      expect(webhookEvent.parse(last().json).data.dependents.count).toBe(5000);
      expect(last().text).not.toContain("\u202e");
    },
  );
});

describe("a body template", () => {
  test("is filled with values that cannot end their string", async () => {
    const bodyTemplate = '{"text": "{{name}}: {{error}}", "nested": {"note": "{{note}}"}}';
    const name = 'x", "admin": true, "y": "\\';
    await send(messageOf("down", { target: { type: "monitor", id: 1, name }, note: "one\ntwo", cause: "{{name}}" }), {
      bodyTemplate,
    });
    expect(last().json).toEqual({ text: `${name}: {{name}}`, nested: { note: "one\ntwo" } });
    expect(last().headers["content-type"]).toBe("application/json");
    expect(standIn.accepted).toContain(last());
  });

  test("may be any text, with a matching content type", async () => {
    await send(undefined, { bodyTemplate: "{{name}} {{status}} {{incidentUrl}}" });
    expect(last().text).toBe("Example shop down https://sonde.example.com/incidents/m12");
    expect(last().headers["content-type"]).toBe("text/plain; charset=utf-8");
    const headers = [{ name: "Content-Type", value: "application/x-own" }];
    await send(undefined, { bodyTemplate: "{{name}}", headers });
    expect(last().headers["content-type"]).toBe("application/x-own");
  });

  test("that uses a long value many times is shortened", async () => {
    const bodyTemplate = `["${"{{note}}".repeat(2000)}"]`;
    await send(messageOf("down", { note: "n".repeat(2000) }), { bodyTemplate });
    expect(last().text.length).toBeLessThan(200_000);
    expect(last().json).toHaveLength(1);
  });
});

describe("the response", () => {
  test.each([
    ["a success", { status: 200, body: "ok" }, { outcome: "delivered", statusCode: 200, answer: "HTTP 200" }],
    ["gone", "gone", { outcome: "broken", dead: true, statusCode: 410, answer: "HTTP 410" }],
    ["a redirect, which is not followed", "moved", { outcome: "retry", statusCode: 308, answer: "HTTP 308" }],
    ["an unknown page", "missing", { outcome: "retry", statusCode: 404 }],
    [
      "an error, of which only the status is stored",
      "failing",
      { outcome: "retry", statusCode: 500, answer: "HTTP 500" },
    ],
    ["busy", "busy", { outcome: "retry", afterMs: 30_000 }],
    ["too many requests", "throttle", { outcome: "retry", throttled: true, afterMs: 7000, answer: "HTTP 429" }],
    ["a proxy with an unavailable server", "bad_gateway", { outcome: "retry", throttled: true }],
    ["no response", "drop", { outcome: "retry" }],
    ["no connection", "reset", { outcome: "retry" }],
  ] as const)("%s", async (_what, scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });

  test("is not awaited longer than the sender's timeout", async () => {
    standIn.answerNext("hang");
    const signal = AbortSignal.timeout(50);
    const outcome = await sendOnce(channel, standIn.config, messageOf("down"), { signal });
    expect(outcome).toMatchObject({ outcome: "retry" });
  });
});

describe("the configuration", () => {
  const faults = (changes: object) =>
    channelConfig("webhook")
      .safeParse({ url: "https://example.com/", ...changes })
      .error?.issues.map(({ path, message }) => [path.join("."), message]);

  test("rejects an unknown variable, an invalid whsec_ secret, and a password in the address", () => {
    expect(faults({ bodyTemplate: "{{nme}}" })).toEqual([["bodyTemplate", "There is no variable named {name}"]]);
    expect(faults({ secret: "whsec_not base64" })).toEqual([["secret", "This value is not valid"]]);
    expect(faults({ url: "https://user:pass@example.com/" })).toEqual([
      ["url", "The address cannot contain a username or password"],
    ]);
    expect(faults({ secret: "any text", bodyTemplate: '{"a": {"b": "{{name}}"}}' })).toBeUndefined();
  });
});
