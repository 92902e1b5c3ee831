import { expect, test } from "vitest";
import about from "../../package.json" with { type: "json" };
import { gauge, registry, ScrapedRegistry, scrapedGauge } from "./metrics.ts";

const lines = async (name: string) =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test("a process without scrapes does not measure its event loop", async () => {
  const unscraped = new ScrapedRegistry();
  expect(unscraped.getSingleMetric("nodejs_eventloop_lag_p99_seconds")).toBeUndefined();

  await unscraped.metrics();
  expect(unscraped.getSingleMetric("nodejs_eventloop_lag_p99_seconds")).toBeDefined();
});

test("only counters end in _total", async () => {
  const types = (await new ScrapedRegistry().metrics()).matchAll(/^# TYPE (\w+_total) (\w+)$/gm);
  const named = [...types].map(([, name, type]) => `${name}: ${type}`);
  expect(named).toContain("process_cpu_seconds_total: counter");
  expect(named.filter((line) => !line.endsWith(": counter"))).toEqual([]);
});

test("a scraped gauge adds up its sources at each scrape, without those that fail or were removed", async () => {
  const add = scrapedGauge("sonde_scraped_test", "For this test", ["of"]);
  let count = 2;
  add(() => [{ labels: { of: "one" }, value: count }]);
  add(async () => [
    { labels: { of: "one" }, value: 3 },
    { labels: { of: "none" }, value: 0 },
  ]);
  add(() => Promise.reject(new Error("away")));
  const remove = add(() => [{ labels: { of: "removed" }, value: 1 }]);

  expect(await lines("sonde_scraped_test")).toEqual([
    'sonde_scraped_test{of="one"} 5',
    'sonde_scraped_test{of="none"} 0',
    'sonde_scraped_test{of="removed"} 1',
  ]);
  remove();
  count = 7;
  expect(await lines("sonde_scraped_test")).toEqual([
    'sonde_scraped_test{of="one"} 10',
    'sonde_scraped_test{of="none"} 0',
  ]);
});

test("concurrent scrapes share one reading", async () => {
  const add = scrapedGauge("sonde_shared_reading_test", "For this test", ["of"]);
  let readings = 0;
  const reading = Promise.withResolvers<void>();
  add(async () => {
    readings++;
    await reading.promise;
    return [{ labels: { of: "it" }, value: 1 }];
  });
  const scrapes = [lines("sonde_shared_reading_test"), lines("sonde_shared_reading_test")];
  reading.resolve();
  expect(await Promise.all(scrapes)).toEqual([
    ['sonde_shared_reading_test{of="it"} 1'],
    ['sonde_shared_reading_test{of="it"} 1'],
  ]);
  expect(readings).toBe(1);
});

test("the running version is exported", async () => {
  expect(await lines("sonde_build_info")).toEqual([
    `sonde_build_info{version="${about.version}",node="${process.versions.node}"} 1`,
  ]);
  expect(gauge("sonde_build_info", "")).toBe(registry.getSingleMetric("sonde_build_info"));
});
