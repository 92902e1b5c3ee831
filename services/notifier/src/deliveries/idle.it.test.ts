import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBed, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

test("a look tells whether anything waits, now or later", async () => {
  const refusing = testChannel(() => ({ outcome: "retry", answer: "ntfy.sh refused the connection" }), {});
  const { addChannel, alert, sending, attemptsOf } = openBed(db, refusing);
  expect(await sending.look()).toBe(false);
  const id = await alert(await addChannel("waits"));
  expect(await sending.look()).toBe(true);
  await sending.idle();
  expect(await attemptsOf(id)).toHaveLength(1);
  expect(await sending.look()).toBe(true);
  await db("messages").update({ status: "delivered" });
  expect(await sending.look()).toBe(false);
});
