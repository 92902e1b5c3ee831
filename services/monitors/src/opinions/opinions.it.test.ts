import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { slotsOf } from "../testing/facts.ts";
import { inputOf } from "../testing/fields.ts";
import { openPartitionBed, type ResultsPartitionBed } from "../testing/partition-bed.ts";
import { openTestbed, type MonitorsTestbed, type RunCheck } from "../testing/service.ts";
import { startOpinions } from "./ask.ts";

const refused = {
  $typeName: "sonde.checks.v1.CheckError",
  kind: "connect",
  message: "The connection was refused",
} as const;

describe("a second opinion, with two replicas", () => {
  let bed: MonitorsTestbed;
  const seen = new Map<string, "up" | "down">();
  const asked: RunCheck[] = [];
  beforeAll(async () => {
    bed = await openTestbed(inject("databaseUrl"));
    await bed.start();
    await bed.start();
    for (const location of ["us1", "ap1"]) {
      await bed.serveProbes(location, (request) => {
        asked.push(request);
        const status = seen.get(location) ?? "up";
        return { status, responseTimeMs: 5, ...(status === "down" && { error: refused, failures: 1 }) };
      });
    }
    await eventually(async () => {
      // Either replica may respond, and each must know all locations.
      const answers = await Promise.all(Array.from({ length: 20 }, () => bed.monitors.listLocations({})));
      if (answers.some(({ locations }) => locations.length < 3)) throw new Error("a location is missing");
    });
  });
  afterAll(() => bed.stop());

  const add = (more: object = {}) =>
    bed.monitors.createMonitor({
      monitor: inputOf({
        name: "shop",
        url: "https://example.com/",
        confirm: { locations: ["us1"], need: 1 },
        ...more,
      }),
    });
  const incidentsOf = async (id: number) =>
    (await bed.incidents.listIncidents({ filter: { targetId: id } })).incidents.map(({ incident }) => incident);
  const get = (id: number) => bed.monitors.getMonitor({ id });

  test("that fails makes the monitor down at once, and is in the incident", async () => {
    seen.set("us1", "down");
    const monitor = await add();
    const next = slotsOf(monitor);
    await bed.publish(next("up"));
    await eventually(async () => expect((await get(monitor.id)).status).toBe("up"));
    await bed.publish(next("down"));
    await eventually(async () => expect((await get(monitor.id)).status).toBe("down"));
    const [incident] = await incidentsOf(monitor.id);
    expect(incident).toMatchObject({ kind: "down", cause: "Status 503" });
    const { opinions } = await bed.incidents.getIncident({ id: incident?.id ?? "" });
    expect(opinions).toMatchObject([{ location: "us1", status: "down", error: refused.message }]);
    expect(asked.at(-1)).toMatchObject({ monitorId: monitor.id, confirms: expect.any(Number) });
  });

  test("that succeeds makes it down from one location until that location sees it up", async () => {
    seen.set("us1", "up");
    const monitor = await add({ confirm: { locations: ["us1", "ap1"], need: 2 } });
    const next = slotsOf(monitor);
    await bed.publish(next("up"), next("down"));
    await eventually(async () => expect(await get(monitor.id)).toMatchObject({ status: "up", partial: ["default"] }));
    const [incident] = await incidentsOf(monitor.id);
    expect(incident).toMatchObject({ kind: "partial", cause: "Down from default only: Status 503" });
    await eventually(async () => {
      const { opinions } = await bed.incidents.getIncident({ id: incident?.id ?? "" });
      // Whether the other location is still asked depends on the order of responses.
      expect(opinions.map(({ location }) => location)).toContain("us1");
    });
    await bed.publish(next("up"));
    await eventually(async () => expect((await incidentsOf(monitor.id))[0]?.resolution).toBe("recovered"));
    expect((await get(monitor.id)).partial).toBeUndefined();
  });

  test("that no location gives leaves the decision to the next failing slot", async () => {
    const gone = await bed.serveProbes("gone1", () => ({ status: "up" }));
    await eventually(async () => expect((await bed.monitors.listLocations({})).locations).toHaveLength(4));
    const monitor = await add({ timeout: 0.1, confirm: { locations: ["gone1"], need: 1 } });
    await gone.stop();
    const next = slotsOf(monitor);
    await bed.publish(next("up"), next("down"));
    await eventually(async () => expect((await get(monitor.id)).lastError).toBe("Status 503"));
    await pause(2_300);
    expect((await get(monitor.id)).status).toBe("up");
    await bed.publish(next("down"));
    await eventually(async () => expect((await get(monitor.id)).status).toBe("down"));
    expect((await incidentsOf(monitor.id))[0]).toMatchObject({ cause: "Status 503, not confirmed" });
  });

  test("can be set as the default of all monitors", async () => {
    seen.set("ap1", "up");
    const confirm = { locations: ["ap1"], need: 1 };
    expect(await bed.monitors.setConfirm({ confirm })).toEqual({ confirm });
    expect(await bed.monitors.getConfirm({})).toEqual({ confirm });
    // The owner may be the other replica, which reloads the setting within seconds.
    await eventually(async () => {
      const monitor = await add({ confirm: undefined });
      expect(monitor).not.toHaveProperty("confirm");
      const next = slotsOf(monitor);
      await bed.publish(next("up"), next("down"));
      await eventually(async () => expect((await get(monitor.id)).lastError).toBe("Status 503"));
      expect((await get(monitor.id)).partial).toEqual(["default"]);
    });
    await bed.monitors.setConfirm({ confirm: null });
    expect(await bed.monitors.getConfirm({})).toEqual({ confirm: null });
  });

  test("can be changed without a new version, and cleared with null", async () => {
    const monitor = await add();
    const next = slotsOf(monitor);
    await bed.publish(next("up"));
    await eventually(async () => expect((await get(monitor.id)).status).toBe("up"));
    const patch = { confirm: { locations: ["ap1"], need: 1 } };
    const changed = await bed.monitors.updateMonitor({ id: monitor.id, patch });
    expect(changed.status).toBe("up");
    expect(changed).toMatchObject({ confirm: { locations: ["ap1"], need: 1 } });
    const cleared = await bed.monitors.updateMonitor({ id: monitor.id, patch: { confirm: null } });
    expect(cleared).not.toHaveProperty("confirm");
  });

  test.each([
    ["without a runner", ["nowhere"], "There is no location named {location}"],
    [
      "that is the monitor's own",
      ["us1", "default"],
      "{location} already checks this monitor: choose other locations for a second opinion",
    ],
  ])("from a location %s is rejected with its path", async (_what, locations, message) => {
    const path = `confirm.locations.${locations.length - 1}`;
    await expect(add({ locations: ["default"], confirm: { locations, need: 1 } })).rejects.toMatchObject({
      code: "impossible",
      details: [{ path, message, params: { location: locations.at(-1) } }],
    });
  });

  test("a confirming location cannot become one of the monitor's own", async () => {
    const { id } = await add();
    await expect(bed.monitors.updateMonitor({ id, patch: { locations: ["default", "us1"] } })).rejects.toMatchObject({
      code: "impossible",
      details: [{ path: "confirm.locations.0" }],
    });
  });
});

describe("owners of a partition", () => {
  let bed: ResultsPartitionBed;
  beforeAll(async () => void (bed = await openPartitionBed(inject("databaseUrl"))));
  afterAll(() => bed.stop());
  const confirm = { locations: ["us1"], need: 1 };

  test("decide once, regardless of their number and of which one survives", async () => {
    const { id } = await bed.add({ confirm });
    const [first, second] = [bed.owners(), bed.owners()];
    await first.own(id);
    await second.own(id);
    const next = slotsOf({ id });
    const failed = next("down");
    await bed.publish(next("up", { slotMs: failed.slotMs! - 5_000, startedAtMs: failed.slotMs! - 4_995 }));
    await bed.publish(failed);
    await eventually(() => expect(first.live.get(id)?.lastError).toBe("Status 503"));
    expect(first.live.get(id)?.status).toBe("up");
    // Neither has saved anything, so a new owner reads the stream from the start.
    const successor = bed.owners();
    await successor.own(id);
    const fields = { ...failed, location: "us1", confirms: failed.slotMs!, manual: true, failures: 1 };
    const opinion = { ...fields, slotMs: failed.slotMs! + 900, startedAtMs: failed.slotMs! + 900, error: refused };
    await bed.publish(opinion);
    await bed.publish(opinion);
    await eventually(() => {
      for (const { live } of [first, second, successor]) expect(live.get(id)?.status).toBe("down");
    });
    expect((await bed.incidentEvents(id)).map(({ change, incident }) => [change, incident?.kind])).toEqual([
      ["opened", "down"],
    ]);
    expect(await bed.db("opinions").count("* as count").first()).toEqual({ count: 1 });
    await Promise.all([first, second, successor].map((owners) => owners.stop()));
    const last = bed.owners();
    await last.own(id);
    await bed.publish(next("up"));
    await eventually(() => expect(last.live.get(id)?.status).toBe("up"));
    await last.stop();
  });

  test("request at most fifty opinions a second, and leave the rest to the next slot", async () => {
    const monitor = await bed.add({ confirm, timeoutMs: 1_000 });
    const asked: number[] = [];
    const runCheck = async () => (asked.push(Date.now()), Promise.reject(new Error("none")));
    const probes = { runCheck } as unknown as Parameters<typeof startOpinions>[0]["probes"];
    const opinions = startOpinions({ db: bed.db, probes, clock: systemClock, log: silentLog });
    const suspicion = { slotMs: 1, atMs: Date.now(), opinions: [] };
    const tracked = { ...monitor, locationStates: new Map([["default", { suspicion }]]) };
    for (let number = 0; number < 2_000; number++) opinions.ask(tracked as never, suspicion);
    await pause(4_000);
    const count = asked.length;
    expect(count).toBeGreaterThan(30);
    expect(count).toBeLessThanOrEqual(3 * 50 + 5);
    await pause(500);
    expect(asked.length).toBe(count);
    await opinions.stop();
  });
});
