import { afterEach, beforeEach, expect, test } from "vitest";
import { addDelivery, factsOf, toChannel } from "../testing/rows.ts";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { prune } from "./retention.ts";

let bed: DecidingBed;
let chat: number;
beforeEach(async () => {
  bed = await openBed();
  chat = await bed.channel();
  await bed.set("global-monitor", { channels: [chat, await bed.channel({ type: "webhook" })] });
});
afterEach(() => bed.db.destroy());

const count = async (table: string) => Number((await bed.db(table).count("* as count").first())?.count);

test("deletes incidents closed before an instant with all their rows, and keeps open and newer ones", async () => {
  for (const id of [1, 2, 3]) await bed.apply(changeOf("opened", { of: `monitor:${id}` }));
  const closedAt = (closedAtMs: number) => ({ openedAtMs: 0, closedAtMs, resolution: "recovered" as const });
  await bed.apply(changeOf("closed", { of: "monitor:1", incident: closedAt(noonMs - 1) }));
  await bed.apply(changeOf("closed", { of: "monitor:2", incident: closedAt(noonMs) }));
  const message = (await bed.db("messages").first()).id;
  await bed.db("attempts").insert({ messageId: message, number: 1, startedAtMs: 0 });
  expect(await prune(bed.db, noonMs)).toBe(1);
  expect(await bed.db("incidents").orderBy("id").pluck("id")).toEqual(["m2", "m3"]);
  for (const table of ["decisions", "alerts", "deliveries"]) {
    const left = await bed.db(table);
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter(({ incidentId }) => incidentId === "m1")).toEqual([]);
  }
  expect(await count("attempts")).toBe(0);
  const empty = bed.db("messages").whereNotIn("id", bed.db("deliveries").select("message_id"));
  expect(await empty).toEqual([]);
});

test("keeps a message that also contains a newer alert", async () => {
  await bed.apply(changeOf("opened", { of: "monitor:9" }));
  await bed.apply(...[1, 2].map((id) => changeOf("opened", { of: `monitor:${id}` })));
  await bed.db("incidents").where({ id: "m1" }).update({ closedAtMs: 1, resolution: "recovered" });
  const shared = await bed.db("deliveries").where({ incidentId: "m1", channelId: chat }).first();
  await prune(bed.db, noonMs);
  expect(await bed.db("messages").where({ id: shared.messageId })).toHaveLength(1);
});

test("deletes old tests of channels, also in several batches", async () => {
  const test = { moment: "test", kind: "test", facts: "{}" };
  const rows = Array.from({ length: 1_001 }, () => ({ ...test, createdAtMs: noonMs - minuteMs }));
  await bed.db.batchInsert("alerts", rows);
  const [kept] = await bed
    .db("alerts")
    .insert({ ...test, createdAtMs: noonMs })
    .returning("id");
  const old = await bed.db("alerts").first();
  await bed.db.transaction((trx) =>
    addDelivery(trx, { alertId: old.id, facts: factsOf(), reader: "people", nowMs: noonMs, ...toChannel(chat) }),
  );
  expect(await prune(bed.db, noonMs)).toBe(1_001);
  expect(await bed.db("alerts").pluck("id")).toEqual([kept.id]);
  expect([await count("deliveries"), await count("messages")]).toEqual([0, 0]);
});
