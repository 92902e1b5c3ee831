import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import type { Database } from "@sonde/kit/postgres/database";
import { allChannelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linksOf } from "../acknowledge/link.ts";
import { createChannel } from "../channels/channels.ts";
import { createEgress } from "@sonde/kit/egress/requests";
import { channelOf } from "../channels/registry.ts";
import { renderMessage } from "../messages/render.ts";
import { sampleFacts } from "../messages/sample.ts";
import { openBed } from "../testing/delivering.ts";
import { factsOf, insertAlert, openTables, toChannel, addDelivery } from "../testing/rows.ts";
import { startStandIn } from "../testing/stand-ins/start.ts";
import { channelTester } from "./test.ts";

/** PagerDuty gets a second request for a test, which resolves it. */
const testIsResolved = 1;
let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

test.each(allChannelTypeNames)(
  "%s: a test, a down and its recovery arrive once each, although the provider first throttles",
  async (type) => {
    const provider = await startStandIn(type);
    try {
      const guard = createGuard();
      const { deps, clock, pass, run, statusOf, attemptsOf } = openBed(db, channelOf(type), {
        channelOf,
        guard,
        publicUrl: "https://sonde.example.com",
        egress: createEgress({ guard, resolver: createResolver() }),
        render: renderMessage,
        linksOf: (channelId) => linksOf(deps, channelId),
        sample: (language, nowMs) => sampleFacts("test", language, nowMs),
      });
      // Signatures are valid for an hour of the provider's real clock.
      clock.step(Date.now() - clock.now());
      const ctx = { ...deps, committed: () => {}, due: () => {} };
      const config = { ...provider.config };
      const { id } = await createChannel(ctx, { name: "ops", type, enabled: true, config });
      const tried = await channelTester(deps)({ id, language: "zh-CN" });
      expect(tried).toMatchObject({ status: "delivered" });

      const deliver = async (kind: "down" | "recovery", moment: string) => {
        const nowMs = clock.now();
        const end = kind === "down" ? {} : { closedAtMs: nowMs, resolution: "recovered" as const };
        const facts = factsOf({ monitor: id, kind, atMs: nowMs, openedAtMs: nowMs - 60_000, ...end });
        const alertId = await insertAlert(db, facts, moment);
        const { reader } = channelOf(type);
        return db.transaction((trx) => addDelivery(trx, { alertId, facts, reader, nowMs, ...toChannel(id, type) }));
      };
      /** Small steps, because a webhook's signature is valid for five minutes. */
      const settled = async (deliveryId: number) => {
        for (let waits = 0; waits < 120 && (await statusOf(deliveryId)) === "pending"; waits += 1) await pass(15_000);
        expect(await statusOf(deliveryId)).toBe("delivered");
      };
      clock.advance(61_000);
      provider.answerNext("throttle");
      const down = await deliver("down", "opened");
      await run();
      expect(await statusOf(down)).toBe("pending");
      const said = await attemptsOf(down);
      expect(String(said[0]?.["answer"])).not.toBe("");
      await settled(down);
      const recovery = await deliver("recovery", "closed");
      await settled(recovery);
      if (type === "smtp" || type === "resend") {
        const bodies = await db("messages").orderBy("id").pluck<string[]>("body");
        const [opening, closing] = bodies.slice(-2).map((body) => (JSON.parse(body) as { subject: string }).subject);
        expect(closing).toBe(`Re: ${opening}`);
      }
      expect(provider.accepted).toHaveLength(3 + (type === "pagerduty" ? testIsResolved : 0));
    } finally {
      await provider.stop();
    }
  },
);
