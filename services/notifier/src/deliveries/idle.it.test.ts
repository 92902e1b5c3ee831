import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBed, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

test("a check returns whether any message is pending", async () => {
  const refusing = testChannel(() => ({ outcome: "retry", answer: "ntfy.sh refused the connection" }), {});
  const { addChannel, alert, sending, attemptsOf } = openBed(db, refusing);
  expect(await sending.checkQueues()).toBe(false);
  const id = await alert(await addChannel("waits"));
  expect(await sending.checkQueues()).toBe(true);
  await sending.idle();
  expect(await attemptsOf(id)).toHaveLength(1);
  expect(await sending.checkQueues()).toBe(true);
  await db("messages").update({ status: "delivered" });
  expect(await sending.checkQueues()).toBe(false);
});
