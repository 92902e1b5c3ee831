import { afterEach, describe, expect, test } from "vitest";
import { testEgress } from "../../../testing/egress.ts";
import * as messages from "../../../testing/messages.ts";
import { start as startGotify } from "../../../testing/stand-ins/push/gotify.ts";
import { start as startNtfy } from "../../../testing/stand-ins/push/ntfy.ts";
import type { StandIn } from "../../../testing/stand-ins/stand-in.ts";
import { channel as gotify } from "./gotify.ts";
import { channel as ntfy } from "./ntfy.ts";

let standIn: StandIn<"ntfy"> | StandIn<"gotify">;
afterEach(() => standIn.stop());
const sent = () => standIn.accepted.at(-1)?.json as Record<string, unknown>;
const rest = () => ({ key: "k", atMs: Date.now(), egress: testEgress, signal: new AbortController().signal });
const [incident, acknowledge] = messages.message().links;

describe("ntfy", () => {
  const { origin, searchParams } = new URL(acknowledge!.url);
  const linkPath = "/api/incidents/acknowledge-link";
  const body = JSON.stringify({ token: searchParams.get("token") });

  async function deliver(message = messages.message(), changes = {}) {
    const server = await startNtfy();
    standIn = server;
    const config = { ...server.config, ...changes };
    return ntfy.send({ body: ntfy.compose(message, config, undefined), config, ...rest() });
  }

  test("pops up for problems, opens the page that acknowledges, and has buttons that acknowledge and snooze at once", async () => {
    expect(await deliver()).toMatchObject({ outcome: "delivered", reference: "msg1" });
    expect(sent()).toMatchObject({
      topic: "sonde-alerts",
      title: "Shop API is down",
      priority: 4,
      click: expect.stringContaining("/acknowledge?token="),
      actions: [
        { action: "http", label: "Acknowledge", url: `${origin}${linkPath}`, method: "POST", body, clear: true },
        { action: "http", label: "Snooze 1 h", url: `${origin}${linkPath}/snooze`, method: "POST", body, clear: true },
        { action: "view", label: "See the incident", url: incident?.url },
      ],
    });
    // The buttons are not repeated in the text.
    expect(String(sent()["message"])).not.toContain("acknowledge?token");
    expect(String(sent()["message"])).toMatch(/[^·]\n\nSonde · [^·]*$/);
  });

  test("has only links without something to acknowledge", async () => {
    await deliver({ ...messages.recovery(), acknowledgeUrl: undefined, links: [incident!] });
    expect(sent()["actions"]).toEqual([{ action: "view", label: "See the incident", url: incident?.url }]);
  });

  test("is quieter for recoveries, and stays within a message in Chinese", async () => {
    await deliver({ ...messages.recovery(), text: "恢复".repeat(5000) });
    expect(sent()["priority"]).toBe(3);
    expect(Buffer.byteLength(String(sent()["message"]))).toBeLessThanOrEqual(3000);
  });

  test("sends no token to a server that needs none", async () => {
    expect(await deliver(messages.message(), { token: undefined })).toMatchObject({
      outcome: "broken",
      statusCode: 401,
    });
    expect(standIn.requests[0]?.headers).not.toHaveProperty("authorization");
  });
});

describe("Gotify", () => {
  async function deliver(message = messages.message(), path = "") {
    const server = await startGotify();
    standIn = server;
    const config = { ...server.config, serverUrl: server.config.serverUrl + path };
    return gotify.send({ body: gotify.compose(message, config, undefined), config, ...rest() });
  }

  test("shows plain text with a priority, and opens the incident", async () => {
    expect(await deliver(messages.message({ text: "**x**" }), "/")).toMatchObject({
      outcome: "delivered",
      reference: "1",
    });
    expect(sent()).toMatchObject({
      title: "Shop API is down",
      priority: 8,
      extras: {
        "client::display": { contentType: "text/plain" },
        "client::notification": { click: { url: incident?.url } },
      },
    });
    expect(sent()["message"]).toMatch(/^\*\*x\*\*\n\nSince: .*Acknowledge: https:.*Sonde · /s);
  });

  test("opens no page without PUBLIC_URL", async () => {
    await deliver(messages.message({ links: [] }));
    expect(sent()["extras"]).toEqual({ "client::display": { contentType: "text/plain" } });
  });
});
