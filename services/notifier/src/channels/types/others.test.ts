import { afterEach, describe, expect, test } from "vitest";
import * as messages from "../../testing/messages.ts";
import { messageOf, sendOnce } from "../../testing/sending.ts";
import { start as startAlertmanager } from "../../testing/stand-ins/alertmanager.ts";
import { start as startApprise } from "../../testing/stand-ins/apprise.ts";
import { start as startLine } from "../../testing/stand-ins/line.ts";
import { start as startSignal } from "../../testing/stand-ins/signal.ts";
import { start as startTwilio } from "../../testing/stand-ins/twilio.ts";
import type { StandIn } from "../../testing/stand-ins/stand-in.ts";
import { channel as alertmanager } from "./alertmanager.ts";
import { channel as apprise } from "./apprise.ts";
import { channel as line } from "./line.ts";
import { channel as signal } from "./signal.ts";
import { channel as twilio } from "./twilio.ts";

let standIn: Pick<StandIn, "stop" | "accepted">;
afterEach(() => standIn.stop());
const json = () => standIn.accepted.at(-1)?.json as Record<string, unknown>;
const [incident] = messages.message().links;

describe("Twilio", () => {
  test("sends a short text with one link", async () => {
    const server = await startTwilio();
    standIn = server;
    const outcome = await sendOnce(twilio, server.config, messages.message({ text: "x".repeat(5000) }));
    expect(outcome).toMatchObject({ outcome: "delivered", statusCode: 201 });
    const form = new URLSearchParams(server.accepted[0]?.text);
    expect([form.get("To"), form.get("From")]).toEqual(["+15558675310", "+15005550006"]);
    expect(form.get("Body")?.length).toBeLessThanOrEqual(600);
    expect(form.get("Body")).toMatch(/^🔴 Shop API is down/);
    expect(form.get("Body")).toContain(incident?.url);
    expect(form.get("Body")).not.toContain("acknowledge?token");
  });

  test("supports messaging services, and API keys for the login", async () => {
    const server = await startTwilio();
    standIn = server;
    const config = { ...server.config, from: `MG${"0".repeat(32)}` };
    expect(await sendOnce(twilio, config, messages.message())).toMatchObject({ outcome: "delivered" });
    const form = new URLSearchParams(server.accepted[0]?.text);
    expect([form.get("MessagingServiceSid"), form.get("From")]).toEqual([config.from, null]);
    const apiKeySid = `SK${"0".repeat(32)}`;
    await sendOnce(twilio, { ...config, apiKeySid }, messages.message());
    const login = Buffer.from(`${apiKeySid}:${config.authToken}`).toString("base64");
    expect(server.requests.at(-1)?.headers["authorization"]).toBe(`Basic ${login}`);
  });
});

test("Signal sends to each recipient, with credentials only if they are set", async () => {
  const server = await startSignal();
  standIn = server;
  expect(await sendOnce(signal, server.config, messages.message())).toMatchObject({ outcome: "delivered" });
  expect(json()).toMatchObject({ recipients: ["+491707654321", "group.YWJj"], number: "+491701234567" });
  const { serverUrl, number, recipients } = server.config;
  expect(await sendOnce(signal, { serverUrl, number, recipients }, messages.message())).toMatchObject({
    outcome: "broken",
    statusCode: 401,
  });
  expect(server.requests.at(-1)?.headers).not.toHaveProperty("authorization");
});

test("LINE accepts a repeated message once", async () => {
  const server = await startLine();
  standIn = server;
  server.answerNext("drop");
  expect(await sendOnce(line, server.config, messages.message())).toMatchObject({ outcome: "retry" });
  expect(await sendOnce(line, server.config, messages.message())).toMatchObject({
    outcome: "delivered",
    statusCode: 409,
  });
  expect(server.accepted).toHaveLength(1);
  expect(await sendOnce(line, server.config, messages.recovery())).toMatchObject({
    outcome: "delivered",
    statusCode: 200,
  });
  expect(server.accepted).toHaveLength(2);
});

describe("Alertmanager", () => {
  type Posted = { labels: Record<string, string>; startsAt: string; endsAt: string; annotations: object };
  const alert = () => (standIn.accepted.at(-1)!.json as Posted[])[0]!;
  const open = async () => {
    const server = await startAlertmanager();
    standIn = server;
    return server;
  };

  test("gets one alert per incident, which the closing ends by the same labels", async () => {
    const { config } = await open();
    const down = messageOf("down");
    expect(await sendOnce(alertmanager, config, down)).toMatchObject({ outcome: "delivered" });
    const opened = alert();
    expect(opened.labels).toMatchObject({ alertname: "SondeDown", severity: "critical", incident: "m12" });
    expect(Date.parse(opened.endsAt) - Date.now()).toBeGreaterThan(86_400_000);
    const renamed = { type: "monitor", id: Number(opened.labels["target_id"]), name: "Another name" } as const;
    await sendOnce(alertmanager, config, messageOf("recovery", { target: renamed }));
    expect(alert().labels).toEqual(opened.labels);
    expect(Date.parse(alert().endsAt)).toBeLessThanOrEqual(Date.now());
    expect(alert().annotations).toMatchObject({ name: "Another name" });
  });

  test("gets an alert again with a reminder, and a test ends automatically", async () => {
    const { config } = await open();
    await sendOnce(alertmanager, config, messageOf("down", { reminder: 2 }));
    expect(Date.parse(alert().endsAt)).toBeGreaterThan(Date.now() + 86_400_000);
    await sendOnce(alertmanager, config, messageOf("test", { isTest: true }));
    expect(alert().labels).toMatchObject({ alertname: "SondeTest", severity: "info", incident: "test-msg_1" });
    expect(Date.parse(alert().endsAt) - Date.parse(alert().startsAt)).toBe(300_000);
  });
});

test("Apprise gets the message type and the tag, and a key without a configuration breaks the channel", async () => {
  const server = await startApprise();
  standIn = server;
  await sendOnce(apprise, { ...server.config, tag: "ops" }, messages.message());
  expect(json()).toMatchObject({ title: "Shop API is down", type: "failure", format: "text", tag: "ops" });
  await sendOnce(apprise, server.config, messages.recovery());
  expect(json()).toMatchObject({ type: "success" });
  expect(json()).not.toHaveProperty("tag");
  const outcome = await sendOnce(apprise, { ...server.config, configKey: "other" }, messages.message());
  expect(outcome).toMatchObject({ outcome: "broken", answer: "No configuration has this key" });
});
