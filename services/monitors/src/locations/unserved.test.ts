import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { trackUnserved } from "./locations.ts";

function setUp() {
  const clock = fakeClock();
  const runners = new Map([["default", 1]]);
  const monitors = new Map([["default", 200]]);
  const said: string[] = [];
  const log = {
    warn: (about: object, text: string) => void said.push(`${JSON.stringify(about)} ${text}`),
    info: (_about: object, text: string) => void said.push(text),
  };
  const troubles = new Map<string, "names" | "network">();
  const locations = {
    runners: (name: string) => runners.get(name) ?? 0,
    trouble: (name: string) => troubles.get(name),
    living: () => [...runners.keys()].filter((name) => runners.get(name) !== 0),
  };
  const unserved = trackUnserved({ clock, log: log as never, locations, count: async () => new Map(monitors) });
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      await unserved.look();
      clock.advance(5_000);
    }
    await unserved.look();
  };
  return { runners, monitors, troubles, said, unserved, pass };
}

test("a location with monitors whose runners are gone is listed with none, and said once a minute until one is back", async () => {
  const { runners, said, unserved, pass } = setUp();
  await pass(60);
  expect(said).toEqual([]);
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200 }]);

  runners.set("default", 0);
  await pass(10);
  expect(said).toEqual([]);
  await pass(10);
  expect(said).toEqual([expect.stringContaining('{"location":"default","monitors":200}')]);
  expect(unserved.list()).toEqual([{ name: "default", runners: 0, monitors: 200 }]);
  await pass(110);
  expect(said).toHaveLength(2);

  runners.set("default", 1);
  await pass(5);
  expect(said.at(-1)).toBe("probe runner available again at a location");
  await pass(120);
  expect(said).toHaveLength(3);
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200 }]);
});

test("a location whose runner cannot check says why", async () => {
  const { troubles, unserved, pass } = setUp();
  await pass(5);
  troubles.set("default", "names");
  expect(unserved.list()).toEqual([{ name: "default", runners: 1, monitors: 200, trouble: "names" }]);
});

test("a runner that restarts within seconds is not missed, and a place that no monitor names is nobody's loss", async () => {
  const { runners, monitors, said, unserved, pass } = setUp();
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
  expect(said).toEqual([]);
  expect(unserved.list()).toEqual([]);
});
