import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StandIn } from "../../testing/stand-ins/stand-in.ts";
import { hostile, hostileTexts, severalHostile } from "../../testing/messages.ts";
import { sendOnce } from "../../testing/sending.ts";
import { startStandIn } from "../../testing/stand-ins/start.ts";
import { channelOf } from "../registry.ts";

const types = ["webhook", "pagerduty", "dingtalk", "wecom", "feishu", "teams"] as const;

describe.each(types)("%s", (type) => {
  let standIn: StandIn;
  beforeAll(async () => void (standIn = await startStandIn(type)));
  afterAll(() => standIn.stop());

  test.each(Object.entries(hostileTexts))("takes %s, alone and in a message of many", async (_name, text) => {
    for (const message of [hostile(text), severalHostile(text)]) {
      const outcome = await sendOnce(channelOf(type), standIn.config, message);
      expect(outcome).toMatchObject({ outcome: "delivered" });
      const sent = JSON.stringify(standIn.accepted.at(-1)?.json);
      expect(sent).not.toMatch(/\u202e|\\ud[89ab]/);
    }
  });
});
