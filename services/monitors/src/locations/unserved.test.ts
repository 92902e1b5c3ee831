import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { trackUnserved } from "./locations.ts";

function setUp() {
  const clock = fakeClock();
  const runners = new Map([["default", 1]]);
  const monitors = new Map([["default", 200]]);
  const logged: string[] = [];
  const log = {
    warn: (about: object, text: string) => void logged.push(`${JSON.stringify(about)} ${text}`),
    info: (_about: object, text: string) => void logged.push(text),
  };
  const troubles = new Map<string, "names" | "network">();
  const locations = {
    runners: (name: string) => runners.get(name) ?? 0,
    trouble: (name: string) => troubles.get(name),
    liveLocations: () => [...runners.keys()].filter((name) => runners.get(name) !== 0),
  };
  const unserved = trackUnserved({ clock, log: log as never, locations, count: async () => new Map(monitors) });
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      await unserved.look();
      clock.advance(5_000);
    }
    await unserved.look();
  };
  return { runners, monitors, troubles, logged, unserved, pass };
}

test("a location that lost its runners is listed with 0 runners and logged once a minute until one is back", async () => {
  const { runners, logged, unserved, pass } = setUp();
  await pass(60);
  expect(logged).toEqual([]);
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200 }]);

  runners.set("default", 0);
  await pass(10);
  expect(logged).toEqual([]);
  await pass(10);
  expect(logged).toEqual([expect.stringContaining('{"location":"default","monitors":200}')]);
  expect(unserved.list()).toEqual([{ name: "default", runners: 0, monitors: 200 }]);
  await pass(110);
  expect(logged).toHaveLength(2);

  runners.set("default", 1);
  await pass(5);
  expect(logged.at(-1)).toBe("probe runner available again at a location");
  await pass(120);
  expect(logged).toHaveLength(3);
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200 }]);
});

test("a location whose runner cannot check has a reason", async () => {
  const { troubles, unserved, pass } = setUp();
  await pass(5);
  troubles.set("default", "names");
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200, trouble: "names" }]);
});

test("neither a quick runner restart nor a location without monitors is reported", async () => {
  const { runners, monitors, logged, unserved, pass } = setUp();
  runners.set("default", 0);
  await pass(10);
  runners.set("default", 1);
  await pass(5);
  runners.set("eu1", 1);
  await pass(5);
  runners.set("eu1", 0);
  await pass(60);
  runners.set("default", 0);
  monitors.clear();
  await pass(60);
  expect(logged).toEqual([]);
  expect(unserved.list()).toEqual([]);
});
