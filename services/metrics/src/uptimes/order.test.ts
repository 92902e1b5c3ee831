import { expect, test } from "vitest";
import { orderByUptime } from "./uptimes.ts";

const uptimes: Record<number, number | undefined> = { 5: 99, 3: 100, 9: undefined, 4: 42.5, 4500: 1, 2000: 2 };
const uptimesOf = async (ids: readonly number[]) =>
  ids.filter((id) => id in uptimes).map((monitorId) => ({ monitorId, h24: uptimes[monitorId] }));

test("monitors are sorted in either direction; those without uptime come last in their original order", async () => {
  const monitorIds = [5, 3, 9, 1, 4];
  expect(await orderByUptime(uptimesOf, { monitorIds, descending: false })).toEqual([4, 5, 3, 9, 1]);
  expect(await orderByUptime(uptimesOf, { monitorIds, descending: true })).toEqual([3, 5, 4, 9, 1]);
});

test("uptimes are read for two thousand monitors at a time", async () => {
  const monitorIds = Array.from({ length: 4500 }, (_, index) => index + 1);
  const sizes: number[] = [];
  const order = await orderByUptime(
    (ids) => {
      sizes.push(ids.length);
      return uptimesOf(ids);
    },
    { monitorIds, descending: false },
  );
  expect(sizes).toEqual([2000, 2000, 500]);
  expect(order.slice(0, 3)).toEqual([4500, 2000, 4]);
});
