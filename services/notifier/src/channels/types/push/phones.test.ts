import { afterEach, describe, expect, test } from "vitest";
import * as messages from "../../../testing/messages.ts";
import { sendOnce } from "../../../testing/sending.ts";
import { start as startBark } from "../../../testing/stand-ins/push/bark.ts";
import { start as startPushDeer } from "../../../testing/stand-ins/push/pushdeer.ts";
import { start as startPushover } from "../../../testing/stand-ins/push/pushover.ts";
import { start as startServerChan } from "../../../testing/stand-ins/push/serverchan.ts";
import type { StandIn } from "../../../testing/stand-ins/stand-in.ts";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import { channel as bark } from "./bark.ts";
import { channel as pushdeer } from "./pushdeer.ts";
import { channel as pushover } from "./pushover.ts";
import { channel as serverchan } from "./serverchan.ts";

let standIn: Pick<StandIn, "stop" | "accepted"> | undefined;
afterEach(() => standIn?.stop());
const json = () => standIn?.accepted.at(-1)?.json as Record<string, unknown>;
const [incident] = messages.message().links;

describe("Pushover", () => {
  test("bypasses quiet hours for problems, and links to the incident", async () => {
    const server = await startPushover();
    standIn = server;
    const config = { ...server.config, device: "phone" };
    expect(await sendOnce(pushover, config, messages.message())).toMatchObject({ outcome: "delivered" });
    expect(json()).toMatchObject({ title: "Shop API is down", priority: 1, device: "phone", url: incident?.url });
    expect(json()["message"]).not.toContain("acknowledge?token");
    await sendOnce(pushover, server.config, messages.recovery());
    expect(json()).toMatchObject({ priority: 0, url_title: "See the incident" });
    expect(json()).not.toHaveProperty("device");
  });

  test("leaves out an address that is too long", async () => {
    const server = await startPushover();
    standIn = server;
    const links = [{ label: "See the incident", url: `https://sonde.example.com/${"x".repeat(600)}` }];
    expect(await sendOnce(pushover, server.config, messages.message({ links }))).toMatchObject({
      outcome: "delivered",
    });
    expect(json()).not.toHaveProperty("url");
  });
});

test("Bark breaks through a Focus only for problems", async () => {
  const server = await startBark();
  standIn = server;
  await sendOnce(bark, server.config, messages.message());
  expect(json()).toMatchObject({
    title: "🔴 Shop API is down",
    level: "timeSensitive",
    url: incident?.url,
    group: "Sonde",
  });
  await sendOnce(bark, server.config, messages.recovery());
  expect(json()).toMatchObject({ level: "active" });
});

describe("ServerChan", () => {
  test("cuts titles at 32 characters, and separates lines by empty ones", async () => {
    const server = await startServerChan();
    standIn = server;
    await sendOnce(serverchan, server.config, messages.message({ title: "商城接口".repeat(20) }));
    expect(json()["title"]).toMatch(/^🔴 商城.*…$/u);
    expect(json()["desp"]).toMatch(/\*\*Since:\*\* .*\n\n\*\*Address:\*\*/);
  });

  test.each([
    ["SCT1TAbc", "https://sctapi.ftqq.com/SCT1TAbc.send"],
    ["sctp4711tAbc", "https://4711.push.ft07.com/send/sctp4711tAbc.send"],
  ])("sends a key such as %s to its host", async (sendKey, expected) => {
    const urls: string[] = [];
    const egress: OutgoingRequests = {
      request({ url }) {
        urls.push(url);
        return Promise.resolve({ statusCode: 200, headers: {}, text: '{"code":0}' });
      },
      addressOf: () => Promise.reject(new Error("not asked")),
    };
    const signal = new AbortController().signal;
    const outcome = await serverchan.send({ body: "{}", config: { sendKey }, key: "k", atMs: 0, egress, signal });
    expect([outcome.outcome, urls]).toEqual(["delivered", [expected]]);
  });

  test("waits if the daily quota is exhausted, although the code is that of a wrong key", async () => {
    const server = await startServerChan();
    standIn = server;
    server.answerNext("throttle");
    const outcome = await sendOnce(serverchan, server.config, messages.message());
    expect(outcome).toMatchObject({ outcome: "retry", throttled: true, afterMs: 900_000 });
  });
});

test("PushDeer shows the title once, and a key without a device breaks the channel", async () => {
  const server = await startPushDeer();
  standIn = server;
  await sendOnce(pushdeer, server.config, messages.message());
  expect(json()).toMatchObject({ text: "🔴 Shop API is down", type: "markdown" });
  expect(json()["desp"]).not.toContain("is down");
  const outcome = await sendOnce(pushdeer, { ...server.config, pushKey: "PDU2" }, messages.message());
  expect(outcome).toMatchObject({ outcome: "broken", answer: "No device has this key" });
});
