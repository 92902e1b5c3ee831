import { afterEach, describe, expect, test } from "vitest";
import * as messages from "../../../testing/messages.ts";
import { sendOnce } from "../../../testing/sending.ts";
import { start as startGoogleChat } from "../../../testing/stand-ins/chat/googlechat.ts";
import { start as startMattermost } from "../../../testing/stand-ins/chat/mattermost.ts";
import { start as startRocketChat } from "../../../testing/stand-ins/chat/rocketchat.ts";
import { start as startZulip } from "../../../testing/stand-ins/chat/zulip.ts";
import type { StandIn } from "../../../testing/stand-ins/stand-in.ts";
import { testEgress } from "../../../testing/egress.ts";
import { channel as googlechat } from "./googlechat.ts";
import { channel as mattermost } from "./mattermost.ts";
import { channel as rocketchat } from "./rocketchat.ts";
import { channel as zulip } from "./zulip.ts";

let standIn: Pick<StandIn, "stop" | "accepted">;
afterEach(() => standIn.stop());
const hostile = messages.message({ title: "**x** <a|b>", text: "@all @channel <users/all> @**ops** ops@example.com" });
const json = () => standIn.accepted.at(-1)?.json as Record<string, unknown>;
const [incident] = messages.message().links;

describe("Mattermost and Rocket.Chat", () => {
  test("send a coloured text with links, in which names cannot format or mention", async () => {
    for (const open of [startMattermost, startRocketChat]) {
      const server = await open();
      standIn = server;
      const deliver = (message = messages.message()) =>
        server.type === "mattermost"
          ? sendOnce(mattermost, server.config, message)
          : sendOnce(rocketchat, server.config, message);
      expect(await deliver(hostile)).toMatchObject({ outcome: "delivered" });
      const [attachment] = json()["attachments"] as { color: string; text: string }[];
      expect(attachment?.color).toBe("#d32f2f");
      expect(attachment?.text).toMatch(
        /^\*\*🔴 ＊＊x＊＊ ＜a\|b＞\*\*\n\n＠all ＠channel ＜users\/all＞ ＠＊＊ops＊＊ ops@example\.com/,
      );
      expect(attachment?.text).toContain(`[See the incident](${incident?.url})`);
      expect(await deliver(messages.recovery())).toMatchObject({ outcome: "delivered" });
      expect(json()["attachments"]).toMatchObject([{ color: "#2e7d32" }]);
      await server.stop();
    }
  });

  test("Rocket.Chat waits as long as the error text says", async () => {
    const server = await startRocketChat();
    standIn = server;
    server.answerNext("throttle");
    const outcome = await sendOnce(rocketchat, server.config, messages.message());
    expect(outcome).toMatchObject({ outcome: "retry", throttled: true, afterMs: 33_000 });
  });
});

describe("Google Chat", () => {
  const open = async () => {
    const server = await startGoogleChat();
    standIn = server;
    return server;
  };

  test("uses its own link syntax, and no name mentions everyone", async () => {
    const { config } = await open();
    expect(await sendOnce(googlechat, config, hostile)).toMatchObject({ outcome: "delivered" });
    expect(json()["text"]).toMatch(/^\*🔴 ＊＊x＊＊ ＜a｜b＞\*\n\n＠all ＠channel ＜users\/all＞/);
    expect(json()["text"]).toContain(`<${incident?.url}|See the incident>`);
  });

  test("posts a recovery in the thread of its opening", async () => {
    const { config } = await open();
    const opening = await sendOnce(googlechat, config, messages.message());
    expect(opening).toMatchObject({ reference: "spaces/AAAAabcdefg/threads/t1" });
    const body = googlechat.compose(messages.recovery(), config, "spaces/AAAAabcdefg/threads/t1");
    const rest = { key: "k", atMs: 0, egress: testEgress, signal: AbortSignal.timeout(5000) };
    expect(await googlechat.send({ body, config, ...rest })).toMatchObject({ outcome: "delivered" });
    expect(json()["thread"]).toEqual({ name: "spaces/AAAAabcdefg/threads/t1" });
  });
});

describe("Zulip", () => {
  test("posts a form to a topic, and waits as the response says", async () => {
    const server = await startZulip();
    standIn = server;
    server.answerNext("throttle");
    const outcome = await sendOnce(zulip, server.config, hostile);
    expect(outcome).toMatchObject({ outcome: "retry", throttled: true, afterMs: 2500 });
    expect(await sendOnce(zulip, server.config, hostile)).toMatchObject({ outcome: "delivered", reference: "1" });
    const form = new URLSearchParams(server.accepted.at(-1)?.text);
    expect(Object.fromEntries(form)).toMatchObject({ type: "stream", to: "alerts", topic: "Sonde" });
    expect(form.get("content")).toContain("＠＊＊ops＊＊");
  });
});
