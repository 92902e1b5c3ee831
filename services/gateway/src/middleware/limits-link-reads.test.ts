import { expect, test } from "vitest";
import { createLimits } from "./limits.ts";

const takeAll = async (addresses: readonly string[]) => {
  const limits = createLimits().linkReads;
  const taken = await Promise.allSettled(addresses.map((address) => limits(address)));
  return taken.filter(({ status }) => status === "fulfilled").length;
};
const times = (count: number, address: (at: number) => string) => Array.from({ length: count }, (_, at) => address(at));

test("each address has thirty per minute", async () => {
  expect(await takeAll(times(40, () => "192.0.2.1"))).toBe(30);
  expect(await takeAll(times(80, (at) => `192.0.2.${at % 2}`))).toBe(60);
});

test("an IPv6 /64 counts as one address", async () => {
  expect(await takeAll(times(40, (at) => `2001:db8:1:1::${at.toString(16)}`))).toBe(30);
  expect(await takeAll(times(80, (at) => `2001:db8:1:${at % 2}::${at.toString(16)}`))).toBe(60);
});

test("all addresses together have three thousand, and a flooding address does not use them up", async () => {
  const limits = createLimits().linkReads;
  for (let at = 0; at < 3100; at++) await limits("192.0.2.1").catch(() => {});
  const others = times(4000, (at) => `10.0.${at >> 8}.${at % 256}`);
  const taken = [];
  for (const address of others)
    taken.push(
      await limits(address).then(
        () => true,
        () => false,
      ),
    );
  expect(taken.filter(Boolean)).toHaveLength(2970);
});
