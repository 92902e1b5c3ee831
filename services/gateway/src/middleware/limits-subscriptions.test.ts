import { expect, test } from "vitest";
import { createLimits } from "./limits.ts";

const takeAll = async (kind: "subscribe" | "token", addresses: readonly string[]) => {
  const limits = createLimits().subscriptions;
  const taken = await Promise.allSettled(addresses.map((address) => limits[kind](address)));
  return taken.filter(({ status }) => status === "fulfilled").length;
};
const times = (count: number, address: (at: number) => string) => Array.from({ length: count }, (_, at) => address(at));

test("an address may subscribe five times, and try thirty tokens", async () => {
  expect(
    await takeAll(
      "subscribe",
      times(10, () => "192.0.2.1"),
    ),
  ).toBe(5);
  expect(
    await takeAll(
      "token",
      times(40, () => "192.0.2.1"),
    ),
  ).toBe(30);
});

test("an IPv6 /64 counts as one address", async () => {
  expect(
    await takeAll(
      "subscribe",
      times(10, (at) => `2001:db8:1:1::${at.toString(16)}`),
    ),
  ).toBe(5);
});

test("all addresses together may subscribe a hundred times a minute", async () => {
  expect(
    await takeAll(
      "subscribe",
      times(200, (at) => `10.0.0.${at}`),
    ),
  ).toBe(100);
});

test("repeating addresses leave half of the total to others", async () => {
  const limits = createLimits().subscriptions;
  const ask = async (address: string) =>
    limits.subscribe(address).then(
      () => 1,
      () => 0,
    );
  let taken = 0;
  for (const address of times(100, (at) => `192.0.2.${at % 20}`)) taken += await ask(address);
  expect(taken).toBe(70);
  expect(await ask("198.51.100.1")).toBe(1);
  expect(await ask("198.51.100.1")).toBe(0);
});

test("an address over its limit learns when to retry, and takes nothing from others", async () => {
  const limits = createLimits().subscriptions;
  for (let at = 0; at < 5; at++) await limits.subscribe("192.0.2.1");
  for (let at = 0; at < 200; at++) {
    await expect(limits.subscribe("192.0.2.1")).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 600 });
  }
  await limits.subscribe("192.0.2.2");
});
