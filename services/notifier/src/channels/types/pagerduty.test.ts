import { characters } from "@sonde/proto/http/text";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hostileMessage, messageOf, sendOnce } from "../../testing/sending.ts";
import { start } from "../../testing/stand-ins/pagerduty.ts";
import { channel } from "./pagerduty.ts";

let standIn: Awaited<ReturnType<typeof start>>;
beforeAll(async () => void (standIn = await start()));
beforeEach(() => void (standIn.requests.length = standIn.accepted.length = 0));
afterAll(() => standIn.stop());

const send = (message = messageOf("down"), changes: object = {}) =>
  sendOnce(channel, { ...standIn.config, ...changes }, message);
const events = () => standIn.accepted.map(({ json }) => json as Record<string, Record<string, unknown>>);

describe("an incident", () => {
  test.each([
    ["down", "trigger", "critical"],
    ["offline", "trigger", "critical"],
    ["threshold", "trigger", "warning"],
    ["stale", "trigger", "warning"],
    ["flapping", "trigger", "critical"],
    ["recovery", "resolve", undefined],
    ["online", "resolve", undefined],
    ["cleared", "resolve", undefined],
    ["fresh", "resolve", undefined],
  ] as const)("%s is sent as %s with the incident's id", async (kind, action, severity) => {
    expect(await send(messageOf(kind))).toMatchObject({ outcome: "delivered", statusCode: 202 });
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({ event_action: action, dedup_key: "m12" });
    expect(events()[0]?.["payload"]?.["severity"]).toBe(severity);
  });

  test("that a user ended is resolved", async () => {
    await send(messageOf("recovery", { resolution: "paused" }));
    expect(events()[0]).toMatchObject({ event_action: "resolve", dedup_key: "m12" });
  });

  test("is triggered with its address, links and facts", async () => {
    await send();
    expect(events()[0]).toMatchObject({
      client: "Sonde",
      client_url: "https://sonde.example.com/incidents/m12",
      payload: {
        summary: "Example shop is down",
        source: "https://shop.example.com/",
        custom_details: { text: "Expected status 200-299, got 503", Tags: "sample" },
      },
    });
  });

  test("has the same keys in every language", async () => {
    await send();
    await send(messageOf("down", { language: "zh-CN" }));
    const [english, chinese] = events().map((event) => Object.keys(event["payload"]?.["custom_details"] as object));
    expect(english).toEqual(expect.arrayContaining(["Since", "Tags", "text"]));
    expect(chinese).toEqual(english);
  });

  test("is not triggered again by a reminder, or by the end of flapping", async () => {
    expect(await send(messageOf("down", { reminder: 1 }))).toMatchObject({ outcome: "delivered" });
    expect(await send(messageOf("steady"))).toMatchObject({ outcome: "delivered" });
    expect(standIn.requests).toEqual([]);
  });

  test("of a test is opened and resolved at once, under its own key", async () => {
    expect(await send(messageOf("test", { isTest: true }))).toMatchObject({ outcome: "delivered" });
    expect(events().map(({ event_action }) => event_action)).toEqual(["trigger", "resolve"]);
    expect(new Set(events().map(({ dedup_key }) => dedup_key))).toEqual(new Set(["sonde-test-msg_1"]));
  });

  test.each(["en-US", "zh-CN"] as const)("is accepted with any text, in %s", async (language) => {
    expect(await send(hostileMessage(language))).toMatchObject({ outcome: "delivered" });
    expect(characters(String(events()[0]?.["payload"]?.["summary"]))).toBeLessThanOrEqual(1024);
  });
});

test("the key is not stored", () => {
  expect(channel.compose(messageOf("down"), standIn.config, undefined)).not.toContain(standIn.config.routingKey);
});

describe("the response", () => {
  test("to a wrong key breaks the channel, with PagerDuty's text", async () => {
    const outcome = await send(undefined, { routingKey: "f".repeat(32) });
    expect(outcome).toMatchObject({ outcome: "broken", statusCode: 400 });
    expect(outcome.answer).toBe("Event object is invalid: Invalid routing key");
  });

  test.each([
    ["to an invalid event is not retried", "invalid", { outcome: "refused", statusCode: 400 }],
    ["too many requests", "throttle", { outcome: "retry", throttled: true, afterMs: 60_000 }],
    ["a server error", "failing", { outcome: "retry", statusCode: 500 }],
    ["a page of another server", "garbage", { outcome: "retry", statusCode: 200 }],
    ["no response", "drop", { outcome: "retry" }],
  ] as const)("%s", async (_what, scripted, expected) => {
    standIn.answerNext(scripted);
    expect(await send()).toMatchObject(expected);
  });
});
