import { fakeClock } from "@sonde/kit/time/clock";
import { expect, it } from "vitest";
import type { ProbeOutcome } from "../probe/probe.ts";
import { watchTrouble } from "./trouble.ts";

const none = (trouble: string): ProbeOutcome => ({ status: "none", trouble });
const noNames = none("the resolver is out of reach");
const noRoute = none("no route");
const up: ProbeOutcome = { status: "up", timings: { total: 1 } };
const silent: ProbeOutcome = {
  status: "down",
  timings: { total: 1 },
  silence: { of: "host", addresses: ["192.0.2.1"], unrouted: false },
};

it("is reported after two checks showed it, until a name resolves again", () => {
  const trouble = watchTrouble(fakeClock());
  trouble.note("a.test", noNames);
  expect(trouble.present()).toBeUndefined();
  trouble.note("b.test", noNames);
  expect(trouble.present()).toBe("names");
  // Addresses do not need name resolution.
  for (const host of ["192.0.2.1", "192.0.2.1:8080", "2001:db8::1", "[2001:db8::1]:8080"]) trouble.note(host, up);
  expect(trouble.present()).toBe("names");
  trouble.note("a.test:8080", up);
  expect(trouble.present()).toBeUndefined();
});

it("with the network ends with any answer, but not with a silence", () => {
  const trouble = watchTrouble(fakeClock());
  for (let index = 0; index < 2; index++) trouble.note("192.0.2.1", noRoute);
  trouble.note("192.0.2.2", silent);
  expect(trouble.present()).toBe("network");
  trouble.note("192.0.2.2", { ...up, status: "down" });
  expect(trouble.present()).toBeUndefined();
});

it("ends after ten minutes without a check that shows it; transient problems are not reported", () => {
  const clock = fakeClock();
  const trouble = watchTrouble(clock);
  for (let index = 0; index < 5; index++) trouble.note("a.test", none("the loop stood still"));
  expect(trouble.present()).toBeUndefined();
  for (let index = 0; index < 2; index++) trouble.note("a.test", noNames);
  clock.advance(600_000);
  expect(trouble.present()).toBeUndefined();
});
