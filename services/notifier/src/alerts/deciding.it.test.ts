import { expect, test } from "vitest";
import { openTables } from "../testing/rows.ts";
import { deciding } from "./deciding.ts";

test("decisions that wait for the lock leave connections for others, and a failing one blocks nothing", async () => {
  const db = await openTables();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const first = deciding(db, () => (begun.resolve(), end.promise)).catch((error: unknown) => error);
  await begun.promise;
  const order: number[] = [];
  const waiting = Array.from({ length: 20 }, (_, index) => deciding(db, async () => void order.push(index)));
  expect(await db("channels").select("id")).toEqual([]);
  const fault = new Error("no");
  end.reject(fault);
  expect(await first).toBe(fault);
  await Promise.all(waiting);
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  await db.destroy();
});
