import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import {
  EventSchema,
  type MonitorChecking,
  type MonitorFigures,
  MonitorFiguresBatchSchema,
} from "@sonde/proto/gen/events/v1/events";
import { CheckErrorSchema, CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { collectEvents, slotsOf } from "../testing/facts.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
let events: ReturnType<typeof collectEvents>;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"), { MONITOR_MIN_INTERVAL_SECONDS: "1" });
  await bed.start();
  await bed.start();
  events = collectEvents(bed.bus);
});
afterAll(async () => {
  await events.stop();
  await bed.stop();
});

let id: number;
let next: ReturnType<typeof slotsOf>;
beforeEach(async () => {
  id = await add();
  next = slotsOf({ id });
});

const add = async (more: object = {}) => {
  const monitor = await bed.monitors.createMonitor({
    monitor: inputOf({ name: "watched", url: "https://example.com/", ...more }),
  });
  return monitor.id;
};
const status = async () => (await bed.monitors.getMonitor({ id })).status;
const becomes = (wanted: string) => eventually(async () => expect(await status()).toBe(wanted));
const incidents = async () =>
  (await bed.incidents.listIncidents({ filter: { targetId: id } })).incidents.map(({ incident }) => incident);

describe("a monitor's state", () => {
  test("goes up, down with an incident and up, each published once and in order", async () => {
    await bed.publish(next("up", { certificateExpiresAtMs: 1_800_000_000_000 }));
    await becomes("up");
    const up = await bed.monitors.getMonitor({ id });
    expect(up).toMatchObject({ responseTime: 42, stale: false, certificateExpiresAt: "2027-01-15T08:00:00.000Z" });
    expect(up.lastError).toBeUndefined();

    const failure = next("down");
    await bed.publish(failure);
    await becomes("down");
    expect(await bed.monitors.getMonitor({ id })).toMatchObject({
      lastError: "Status 503",
      statusSince: new Date(failure.startedAtMs!).toISOString(),
      lastCheckedAt: new Date(failure.startedAtMs!).toISOString(),
    });
    const [open] = await incidents();
    expect(open).toMatchObject({ target: { id, name: "watched" }, kind: "down", cause: "Status 503" });
    expect(open).toMatchObject({
      openedAt: new Date(failure.startedAtMs ?? 0).toISOString(),
      id: expect.stringMatching(/^m\d+$/),
    });
    expect(open?.closedAt).toBeUndefined();

    const recovery = next("up");
    await bed.publish(recovery);
    await becomes("up");
    expect(await incidents()).toMatchObject([
      { resolution: "recovered", closedAt: new Date(recovery.startedAtMs ?? 0).toISOString() },
    ]);
    await eventually(() => expect(events.words(id)).toEqual(["created", "up", "down", "opened", "up", "closed"]));
  });

  test("does not change with repeated results in any order", async () => {
    const [up, down, again] = [next("up"), next("down"), next("up")];
    await bed.publish(up, down, again);
    for (const results of [[down], [up, down], [again, down, up], [down]]) await bed.publish(...results);
    // When a result of a later slot is applied, all those were read.
    const last = next("up", { responseTimeMs: 77 });
    await bed.publish(last);
    await eventually(async () => expect((await bed.monitors.getMonitor({ id })).responseTime).toBe(77));
    await eventually(() => expect(events.words(id)).toEqual(["created", "up", "down", "opened", "up", "closed"]));
    expect(await incidents()).toHaveLength(1);
  });

  test("is published live with every check", async () => {
    const seen: MonitorFigures[] = [];
    const subscription = bed.bus.nc.subscribe(subjects.liveMonitors, {
      callback: (_error, message) =>
        void seen.push(
          ...fromBinary(MonitorFiguresBatchSchema, message.data).figures.filter(({ monitorId }) => monitorId === id),
        ),
    });
    await bed.bus.nc.flush();
    await bed.publish(next("up"));
    // A batch publishes only the newest of several figures, so wait for this one first.
    await eventually(() => expect(seen.at(-1)).toMatchObject({ status: "up", responseTimeMs: 42 }));
    await bed.publish(next("up", { responseTimeMs: 43 }));
    await eventually(() =>
      expect(seen.at(-1)).toMatchObject({ status: "up", responseTimeMs: 43, version: 1, stale: false }),
    );
    subscription.unsubscribe();
  });
});

describe("an incident ends without a recovery", () => {
  beforeEach(async () => {
    await bed.publish(next("down"));
    await becomes("down");
  });
  const closings = () => events.words(id).filter((word) => word.startsWith("closed"));

  test("as paused and without alerts after a pause", async () => {
    await bed.monitors.pauseMonitor({ id });
    expect(await incidents()).toMatchObject([{ resolution: "paused" }]);
    await eventually(() => expect(closings()).toEqual(["closed (quiet)"]));
    // A result that was in transit changes nothing.
    await bed.publish(next("up"), next("up", { version: 2 }));
    const resumed = await bed.monitors.resumeMonitor({ id });
    expect(resumed.status).toBe("pending");
    await bed.publish(next("up", { version: 3 }));
    await becomes("up");
    expect(closings()).toEqual(["closed (quiet)"]);
  });

  test("as edited after a change of the check, which deletes the old figures", async () => {
    const edited = await bed.monitors.updateMonitor({ id, patch: inputOf({ url: "https://example.com/other" }) });
    expect(edited.status).toBe("pending");
    expect(edited.responseTime).toBeNull();
    expect(await incidents()).toMatchObject([{ resolution: "edited" }]);
    await bed.publish(next("down"));
    await bed.publish(next("up", { version: 2 }));
    await becomes("up");
    await eventually(() => expect(closings()).toEqual(["closed (quiet)"]));
    expect(await incidents()).toHaveLength(1);
  });

  test("but not after a new name", async () => {
    const renamed = await bed.monitors.updateMonitor({ id, patch: { name: "renamed" } });
    expect(renamed.status).toBe("down");
    const [open] = await incidents();
    expect(open).toMatchObject({ target: { name: "renamed" } });
    expect(open?.closedAt).toBeUndefined();
  });

  test("as deleted after a deletion", async () => {
    await bed.monitors.deleteMonitor({ id });
    expect(await incidents()).toMatchObject([{ resolution: "deleted" }]);
    await eventually(() => expect(events.words(id)).toContain("deleted"));
    expect(closings()).toEqual(["closed (quiet)"]);
    expect((await bed.incidents.listIncidents({ filter: { open: true, targetId: id } })).total).toBe(0);
  });
});

describe("manual checks", () => {
  test("a success changes the state, and the response already contains it", async () => {
    const runner = await bed.serveProbes("default", () => ({ status: "up", responseTimeMs: 12 }));
    // The response waits at most a second; on a busy machine only the next one contains it.
    await eventually(async () => {
      const { result, monitor } = await bed.monitors.checkNow({ id });
      expect(result).toMatchObject({ status: "up", manual: true, monitorId: id });
      expect(monitor).toMatchObject({ status: "up", responseTime: 12, lastCheckedAt: result.startedAt });
    });
    await runner.stop();
  });

  test("a failure is retried with live progress and decides the state", async () => {
    await bed.publish(next("up"));
    await becomes("up");
    const published: MonitorChecking[] = [];
    const subscription = bed.bus.nc.subscribe(subjects.liveMonitors, {
      callback: (_error, message) => {
        for (const one of fromBinary(MonitorFiguresBatchSchema, message.data).checking) published.push(one);
      },
    });
    await bed.bus.nc.flush();
    const error = create(CheckErrorSchema, { kind: "status", message: "Status 500" });
    const runner = await bed.serveProbes("default", ({ attempt }) => ({ status: "down", error, attempt }));
    const { result } = await bed.monitors.checkNow({ id });
    expect(result).toMatchObject({ status: "down", attempt: 2 });
    await becomes("down");
    await eventually(() =>
      expect(published).toMatchObject([
        { attempt: 1, attempts: 2, ended: false },
        { attempt: 2, attempts: 2, failed: "Status 500" },
        { ended: true },
      ]),
    );
    subscription.unsubscribe();
    await runner.stop();
  });

  test("a failure with a successful retry leaves the state up", async () => {
    await bed.publish(next("up"));
    await becomes("up");
    const runner = await bed.serveProbes("default", ({ attempt }) =>
      attempt === 1 ? { status: "down" } : { status: "up", responseTimeMs: 13 },
    );
    const { result } = await bed.monitors.checkNow({ id });
    expect(result?.status).toBe("up");
    await eventually(async () =>
      expect(await bed.monitors.getMonitor({ id })).toMatchObject({ status: "up", responseTime: 13 }),
    );
    expect(await incidents()).toEqual([]);
    await runner.stop();
  });

  test("a paused monitor does not change", async () => {
    await bed.monitors.pauseMonitor({ id });
    const runner = await bed.serveProbes("default", () => ({ status: "down", failures: 9 }));
    const { result, monitor } = await bed.monitors.checkNow({ id });
    expect(result?.status).toBe("down");
    expect(monitor?.status).toBe("paused");
    expect(monitor.lastCheckedAt).toBeNull();
    await runner.stop();
  });

  test("no check can run without a runner", async () => {
    await expect(bed.monitors.checkNow({ id })).rejects.toMatchObject({
      code: "unavailable",
      message: "Check failed",
      details: [{ message: "No probe runner is available at location {location}", params: { location: "default" } }],
    });
  });

  test("an input can be tested without saving it; a mask stands for the stored secret", async () => {
    const asked: { sealed: string | undefined; monitorId: number }[] = [];
    const runner = await bed.serveProbes("default", (request) => {
      asked.push({
        sealed: /"sealed":"([^"]+)"/.exec(JSON.stringify(request.check))?.[1],
        monitorId: request.monitorId,
      });
      return { status: "down", failures: 1 };
    });
    const headers = (value: string) => ({ headers: [{ name: "X-Api-Key", value }] });
    const fields = { name: "tested", url: "https://example.com/" };
    const stored = await bed.monitors.createMonitor({ monitor: inputOf({ ...fields, ...headers("canary") }) });
    const total = async () => (await bed.monitors.listMonitors({})).total;
    const before = await total();
    const result = await bed.monitors.testMonitor({
      monitor: inputOf({ ...fields, ...headers("••••••") }),
      monitorId: stored.id,
    });
    expect(result).toMatchObject({ status: "down", monitorId: 0 });
    expect(asked).toEqual([{ sealed: expect.stringMatching(/^v2\./), monitorId: 0 }]);
    await expect(
      bed.monitors.testMonitor({ monitor: inputOf({ ...fields, ...headers("••••••") }) }),
    ).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "headers.0.value" }],
    });
    expect(await total()).toBe(before);
    await runner.stop();
  });
});

describe("silence", () => {
  test("three missed slots make a monitor stale, published once, until the next check", async () => {
    id = await add({ interval: 1 / 60, timeout: 0.5 });
    const stale = async () => (await bed.monitors.getMonitor({ id })).stale;
    expect(await stale()).toBe(false);
    await eventually(async () => expect(await stale()).toBe(true));
    await eventually(() => expect(events.words(id)).toContain("stale"));
    expect(await status()).toBe("pending");
    await eventually(async () => {
      const nowMs = Date.now();
      await bed.publish({ monitorId: id, version: 1, status: "up", slotMs: nowMs, startedAtMs: nowMs });
      expect(await bed.monitors.getMonitor({ id })).toMatchObject({ status: "up", stale: false });
    });
    const published = () => events.words(id).filter((word) => word === "stale" || word === "fresh");
    await eventually(() => expect(published()).toEqual(["stale", "fresh", "stale"]));
    expect(await status()).toBe("up");
    expect(await incidents()).toMatchObject([
      { kind: "stale", cause: expect.stringMatching(/^No results for \d+ s$/) },
      { kind: "stale", resolution: "recovered" },
    ]);
    expect((await incidents())[0]?.closedAt).toBeUndefined();
    await bed.monitors.pauseMonitor({ id });
    expect(await stale()).toBe(false);
    expect(await incidents()).toMatchObject([{ resolution: "paused" }, { resolution: "recovered" }]);
    const changes = () => events.words(id).filter((word) => /opened|closed/.test(word));
    await eventually(() => expect(changes()).toEqual(["opened", "closed", "opened", "closed (quiet)"]));
  });
});

test("a stale monitor is counted and listed only as stale, right after those that are down", async () => {
  const before = await bed.monitors.summary({});
  const nowMs = Date.now();
  id = await add({ interval: 1 / 60, timeout: 0.5, tags: ["agreeing"] });
  await bed.publish({ monitorId: id, version: 1, status: "up", slotMs: nowMs, startedAtMs: nowMs });
  await becomes("up");
  const well = await add({ tags: ["agreeing"] });
  await bed.publish(slotsOf({ id: well })("up"));
  await eventually(async () => expect((await bed.monitors.getMonitor({ id: well })).status).toBe("up"));
  await eventually(async () => expect((await bed.monitors.getMonitor({ id })).stale).toBe(true));

  const counted = await bed.monitors.summary({});
  const of = ({ up, down, pending, paused, stale }: typeof counted.counts) => up + down + pending + paused + stale;
  expect(of(counted.counts)).toBe(counted.counts.total);
  // Silence is an incident, so the counted incidents are the listed ones.
  const listedOpen = async () => (await bed.incidents.listIncidents({ filter: { open: true } })).total;
  await eventually(async () => {
    expect((await bed.monitors.summary({})).openIncidents).toBe(before.openIncidents + 1);
    expect(await listedOpen()).toBe(before.openIncidents + 1);
  });
  expect(counted.counts).toMatchObject({ up: before.counts.up + 1, stale: before.counts.stale + 1 });
  const listed = async (query: { status?: "stale" | "up"; sort?: "status" | "-status" }) =>
    (await bed.monitors.listMonitors({ tag: "agreeing", ...query })).monitors.map((monitor) => monitor.id);
  expect(await listed({ status: "stale" })).toEqual([id]);
  expect(await listed({ status: "up" })).toEqual([well]);
  expect(await listed({ sort: "status" })).toEqual([id, well]);
  expect(await listed({ sort: "-status" })).toEqual([well, id]);
  await bed.monitors.bulkMonitors({ ids: [id, well], action: "delete" });
});

test("invalid messages and results go to the dead letters, and valid results in the same message count", async () => {
  const reasons: string[] = [];
  const dead = followStream(bed.bus, {
    stream: "DEAD",
    from: "first",
    onMessage: (message) => void reasons.push(message.header("Sonde-Reason")),
  });
  await bed.bus.js.publish(subjects.results(partitionOf(id), "default"), new TextEncoder().encode("\xff\xff nonsense"));
  await bed.publish({ ...next("up"), status: "sideways" }, next("up"));
  await becomes("up");
  // A runner may publish only results of the location in its subject.
  const forged = create(ResultBatchSchema, {
    results: [create(CheckResultSchema, { location: "default", ...next("down") })],
  });
  await bed.bus.js.publish(subjects.results(partitionOf(id), "elsewhere"), toBinary(ResultBatchSchema, forged));
  await eventually(() =>
    expect(reasons).toEqual([
      "not a batch of results",
      "result 0: unknown status",
      "result 0: result of another location",
    ]),
  );
  expect((await bed.monitors.getMonitor({ id })).status).toBe("up");
  await dead.stop();
});

test("the summary counts states and open incidents, and events can be listed since an instant", async () => {
  const before = await bed.monitors.summary({});
  const sinceMs = Date.now();
  await bed.publish(next("down"));
  await becomes("down");
  const after = await bed.monitors.summary({});
  expect(after).toMatchObject({
    counts: {
      down: before.counts.down + 1,
      pending: before.counts.pending - 1,
      total: before.counts.total,
    },
    openIncidents: before.openIncidents + 1,
  });
  const listEvents = async (given: { sinceMs: number; limit: number; afterId?: string }) => {
    const { events: found, more } = await bed.incidents.listEvents(given);
    return { events: found.map((bytes) => fromBinary(EventSchema, Buffer.from(bytes, "base64"))), more };
  };
  const listed = await listEvents({ sinceMs, limit: 1 });
  expect(listed).toMatchObject({ more: true, events: [{ id: expect.stringMatching(/:down$/) }] });
  const [first] = listed.events;
  const rest = await listEvents({ sinceMs: first?.atMs ?? 0, afterId: first?.id ?? "", limit: 10 });
  expect(rest).toMatchObject({ more: false, events: [{ id: expect.stringMatching(/:opened$/) }] });
});

test("an acknowledgement has the user's name and is published at once", async () => {
  await bed.publish(next("down"));
  await becomes("down");
  const [open] = await incidents();
  const call = { actor: { id: 1, username: "ada", role: "user" as const } };
  const { incident } = await bed.incidents.acknowledgeIncident({ id: open?.id ?? "", note: "mine" }, { call });
  expect(incident).toMatchObject({ acknowledgedBy: "ada", note: "mine" });
  await eventually(() => expect(events.words(id)).toContain("acknowledged"));
  // An acknowledgement through a link does not replace another author's note.
  const { incident: linked } = await bed.incidents.acknowledgeIncident({ id: open?.id ?? "", note: "x", by: "Ops" });
  expect(linked).toEqual(incident);
  expect((await bed.incidents.getIncident({ id: open?.id ?? "" })).incident).toEqual(linked);
});
