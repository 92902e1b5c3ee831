import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, openBed } from "../testing/bed.ts";
import { dueReader } from "./ticks.ts";

let bed: DecidingBed;
beforeEach(async () => {
  bed = await openBed();
  await bed.set("global-monitor", { channels: [await bed.channel()], cooldownMinutes: 30 });
});
afterEach(() => bed.db.destroy());

test("queries due times from PostgreSQL after a decision and every five seconds, not every second", async () => {
  let questions = 0;
  bed.db.client.on("query", ({ sql }: { sql: string }) => (questions += Number(sql.includes("least("))));
  const isDue = dueReader(bed);
  for (let second = 0; second < 5; second++) {
    expect(await isDue()).toBe(false);
    bed.clock.advance(1_000);
  }
  expect(questions).toBe(1);
  await isDue();
  expect(questions).toBe(2);

  await bed.apply(changeOf("opened"));
  expect(await isDue()).toBe(false);
  expect(questions).toBe(3);
  bed.clock.advance(30 * minuteMs - 1);
  expect(await isDue()).toBe(false);
  bed.clock.advance(1);
  expect(await isDue()).toBe(true);
});

test("handles a decision of another process within five seconds of its due time", async () => {
  const isDue = dueReader(bed);
  expect(await isDue()).toBe(false);
  await bed.apply(changeOf("opened"));
  await isDue();
  await bed.db("incidents").update({ reminderDueAtMs: bed.clock.now() });
  bed.clock.advance(4_999);
  expect(await isDue()).toBe(false);
  bed.clock.advance(1);
  expect(await isDue()).toBe(true);
});
