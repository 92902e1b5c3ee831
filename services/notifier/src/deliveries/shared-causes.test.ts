import { unavailable } from "@sonde/kit/errors";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { expect, test } from "vitest";
import { factsOf } from "../testing/rows.ts";
import { type CauseSource, causesOfMessage } from "./shared-causes.ts";

const cause = (...incidentIds: string[]): SharedCause => ({
  fact: "address",
  value: "203.0.113.7",
  sharing: incidentIds.length,
  failing: 5,
  healthy: 3,
  incidentIds,
});
const part = (id: number, changes: object = {}, moment = "opened") => ({
  moment,
  facts: { ...factsOf({ incidentId: `m${id}` }), ...changes },
});

/** Returns the causes of a message, and what was asked. */
async function read(parts: ReturnType<typeof part>[], causes: SharedCause[], min = 2) {
  const asked: unknown[] = [];
  const listSharedCauses = async ({ incidentIds }: { incidentIds?: string[] | undefined }) => {
    asked.push(incidentIds);
    return { causes };
  };
  const found = await causesOfMessage({ listSharedCauses }, parts, min);
  return { asked, found };
}

test("a message has the causes that at least two of its openings share", async () => {
  const [shared, other] = [cause("m1", "m2", "m9"), cause("m3", "m8")];
  const { asked, found } = await read([part(1), part(2), part(3)], [shared, other]);
  expect(asked).toEqual([["m1", "m2", "m3"]]);
  expect(found).toEqual([shared]);
});

test.each([
  ["one opening", [part(1), part(2, {}, "closed")]],
  ["reminders", [part(1, {}, "reminder:1"), part(2, {}, "reminder:1")]],
  ["agents", [part(1), part(2, { target: { type: "agent", id: 1, name: "web-1" }, incidentKind: "offline" })]],
  ["missing results", [part(1, { incidentKind: "stale" }), part(2, { incidentKind: "stale" })]],
])("is not asked about %s", async (_title, parts) => {
  expect(await read(parts, [cause("m1", "m2")])).toEqual({ asked: [], found: [] });
});

test("a single opening has its cause if one is enough", async () => {
  expect((await read([part(1)], [cause("m1", "m2")], 1)).found).toEqual([cause("m1", "m2")]);
});

test("at most three causes are shown", async () => {
  const causes = [1, 2, 3, 4].map(() => cause("m1", "m2"));
  expect((await read([part(1), part(2)], causes)).found).toHaveLength(3);
});

test("monitors has one second, and a failure is no cause", async () => {
  const timeouts: unknown[] = [];
  const monitors: CauseSource = {
    listSharedCauses: async (_request, options) => {
      timeouts.push(options?.timeoutMs);
      throw unavailable("monitors");
    },
  };
  expect(await causesOfMessage(monitors, [part(1), part(2)], 2)).toEqual([]);
  expect(timeouts).toEqual([1_000]);
});
