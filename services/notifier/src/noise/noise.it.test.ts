import { AppError, unavailable } from "@sonde/kit/errors";
import type { ReplayedIncidents } from "@sonde/proto/rpc/monitors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { createNoise } from "./noise.ts";

const hourMs = 60 * minuteMs;
let bed: DecidingBed;
let replays: Map<number, Partial<ReplayedIncidents> | AppError>;
let asked: { monitorId: number; fromMs: number; toMs: number }[];
beforeEach(async () => {
  bed = await openBed({ startMs: noonMs });
  replays = new Map();
  asked = [];
});
afterEach(() => bed.db.destroy());

const noiseOf = () =>
  createNoise({
    ...bed,
    incidentDays: 400,
    monitors: {
      replayIncidents: async (input) => {
        asked.push(input);
        const found = replays.get(input.monitorId) ?? {};
        if (found instanceof AppError) throw found;
        const none = { now: [], others: [], dependsOn: [], secondOpinions: [] };
        return { name: `renamed ${input.monitorId}`, fromMs: input.fromMs, ...none, ...found };
      },
    },
  });

/** An incident at an hour after noon that lasts some minutes. */
async function incident(of: string, hour: number, minutes: number) {
  const [type, number] = of.split(":");
  const [openedAtMs, closedAtMs] = [noonMs + hour * hourMs, noonMs + hour * hourMs + minutes * minuteMs];
  const fields = { id: `${type![0]}${number}-${hour}`, openedAtMs };
  const facts = { target: "https://example.com/", intervalMs: minuteMs };
  bed.clock.step(openedAtMs - bed.clock.now());
  await bed.apply(changeOf("opened", { of, facts, incident: fields }));
  bed.clock.step(closedAtMs - bed.clock.now());
  const closed = { ...fields, closedAtMs, resolution: "recovered" as const };
  await bed.apply(changeOf("closed", { of, facts, atMs: closedAtMs, incident: closed }));
  return { openedAtMs, closedAtMs };
}

const deliver = async (where: string = "true") => {
  await bed.db.raw(
    `update messages set status = 'delivered', settled_at_ms = messages.created_at_ms
     from deliveries where message_id = messages.id and ${where}`,
  );
  await bed.db.raw(`update deliveries set status = 'delivered' where ${where}`);
};

test("counts delivered alerts, weighs alternatives of the noisiest monitors, and nights of people", async () => {
  const team = await bed.channel();
  const own = await bed.channel({ userId: 5 });
  await bed.db("contacts").insert({ userId: 5, value: JSON.stringify({ timeZone: "Asia/Shanghai" }), updatedAtMs: 0 });
  await bed.set("global-monitor", { channels: [team], cooldownMinutes: 0 });
  await bed.set("monitor", { channels: [team, own], cooldownMinutes: 0 }, 1);
  await bed.set("global-agent", { channels: [] });
  // 20:00 and 23:00 in Shanghai.
  const outages = [await incident("monitor:1", 0, 2), await incident("monitor:1", 0.2, 2)];
  outages.push(await incident("monitor:1", 3, 10));
  await incident("monitor:2", 4, 1);
  await incident("monitor:3", 5, 1);
  await incident("monitor:4", 6, 1);
  await bed.apply(changeOf("opened", { of: "monitor:2", incident: { id: "m2-slow", kind: "slow" } }));
  await deliver("deliveries.target_id <> 4");
  replays.set(1, {
    now: outages,
    others: [
      {
        field: "recoverAfter",
        value: 3,
        outages: [{ ...outages[0]!, closedAtMs: outages[1]!.closedAtMs }, outages[2]!],
      },
      { field: "retries", value: 10, outages: outages.slice(0, 2) },
    ],
    managed: { source: "git", key: "api", fields: ["retries"] },
  });
  replays.set(2, { secondOpinions: ["east"] });
  replays.set(3, new AppError("not_found", "Monitor does not exist"));
  bed.clock.step(8 * hourMs);
  const answer = await noiseOf()();
  expect(answer).toMatchObject({ to: new Date(bed.clock.now()).toISOString(), unavailable: undefined });
  // Opened and closed, to two channels. Missing the ten minutes is no alternative.
  expect(answer.monitors).toEqual([
    {
      id: 1,
      name: "renamed 1",
      from: answer.from,
      incidents: 3,
      alerts: 12,
      secondOpinions: [],
      alternatives: [
        {
          change: {
            field: "recoverAfter",
            value: 3,
          },
          alerts: 8,
          laterMs: 0,
          unreported: 0,
        },
      ],
      managed: {
        source: "git",
        key: "api",
        fields: ["retries"],
      },
    },
    {
      id: 2,
      name: "renamed 2",
      from: answer.from,
      incidents: 1,
      alerts: 2,
      alertsToday: 0,
      alternatives: [],
      secondOpinions: ["east"],
      managed: undefined,
    },
  ]);
  expect(answer.nights).toEqual([{ userId: 5, nights: 1, notifications: 2 }]);
});

test("a target that was down before most incidents is weighed as a dependency", async () => {
  await bed.set("global-monitor", { channels: [await bed.channel()], cooldownMinutes: 0 });
  await bed.set("global-agent", { channels: [] });
  const down = { openedAtMs: noonMs - hourMs, closedAtMs: noonMs + 4 * hourMs };
  const outages = [];
  for (const hour of [0, 1, 2, 6]) outages.push(await incident("monitor:1", hour, 1));
  const parent = { targetId: 3, openedAtMs: down.openedAtMs, closedAtMs: down.closedAtMs, cause: "", facts: "{}" };
  const names = { id: "a3", targetType: "agent", targetName: "host", kind: "offline" };
  await bed.db("incidents").insert({ ...parent, ...names });
  // A group that its member takes down.
  await bed
    .db("incidents")
    .insert({ ...parent, id: "m9", targetType: "monitor", targetId: 9, targetName: "g", kind: "down" });
  await deliver();
  replays.set(1, { now: outages });
  bed.clock.step(hourMs);
  const { monitors } = await noiseOf()();
  expect(monitors[0]?.alternatives).toMatchObject([
    { change: { field: "dependsOn", target: { type: "agent", id: 3, name: "host" } }, alerts: 2, unreported: 0 },
  ]);
  replays.set(1, { now: outages, dependsOn: [{ type: "agent", id: 3 }] });
  expect((await noiseOf()()).monitors[0]?.alternatives).toEqual([]);
});

test("callers share an answer for a minute, and one without monitors says so", async () => {
  await bed.set("global-monitor", { channels: [await bed.channel()], cooldownMinutes: 0 });
  await incident("monitor:1", 0, 1);
  await deliver();
  replays.set(1, unavailable("metrics"));
  const read = noiseOf();
  const [one, other] = await Promise.all([read(), read()]);
  expect(one).toBe(other);
  expect(one).toMatchObject({ unavailable: ["monitors"], monitors: [{ id: 1, alerts: 2 }] });
  expect(one.monitors[0]?.alternatives).toBeUndefined();
  expect(asked).toHaveLength(1);
  bed.clock.advance(minuteMs);
  await read();
  expect(asked).toHaveLength(2);
});
