import { expect, test } from "vitest";
import { hostNews } from "./host-news.ts";

test("what cannot be read is left out, and read again later", async () => {
  let nowMs = 0;
  const facts = { hostname: "web-1", ipAddresses: [], os: "Debian 12", version: "1.0.0" };
  const news = hostNews(
    async () => {
      if (nowMs === 0) throw new Error("EPERM");
      return facts;
    },
    () => nowMs,
  );
  expect(await news.untold()).toBeUndefined();
  nowMs = 60_000;
  expect(await news.untold()).toEqual(facts);
});

test("a host is told once, again until the server has it, and again when it changed", async () => {
  let facts = { hostname: "web-1", ipAddresses: ["192.0.2.7"], os: "Debian 12", version: "1.0.0" };
  let reads = 0;
  let nowMs = 5;
  const news = hostNews(
    async () => {
      reads += 1;
      return facts;
    },
    () => nowMs,
  );
  expect(await news.untold()).toEqual(facts);
  expect(await news.untold()).toEqual(facts);
  news.told(facts);
  expect(await news.untold()).toBeUndefined();
  facts = { ...facts, ipAddresses: ["192.0.2.8"] };
  expect(await news.untold()).toBeUndefined();
  expect(reads).toBe(1);
  nowMs += 60_000;
  expect((await news.untold())?.ipAddresses).toEqual(["192.0.2.8"]);
  news.told(facts);
  nowMs += 60_000;
  expect(await news.untold()).toBeUndefined();
  expect(reads).toBe(3);
});
