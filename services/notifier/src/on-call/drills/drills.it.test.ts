import { create } from "@bufbuild/protobuf";
import { TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linksOf, readAcknowledgeLink } from "../../acknowledge/link.ts";
import type { AlertFacts } from "../../alerts/incident.ts";
import type { Context } from "../../context.ts";
import { recordEnding } from "../../deliveries/settle-store.ts";
import { listDeliveries } from "../../deliveries/list.ts";
import { listUnsent } from "../../incidents/unsent.ts";
import { renderMessage } from "../../messages/render.ts";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../../testing/bed.ts";
import { runEndpoints } from "./run-endpoints.ts";
import { nextStartMs } from "./ticks.ts";
import { acknowledgeDrill, acknowledgeRun, listDrills, removeDrill, startDrill } from "./drills.ts";

const dayMs = 24 * 60 * minuteMs;
let bed: DecidingBed;
let deps: DecidingBed & { committed(): void };
let chat: number;
let lead: number;
beforeEach(async () => {
  bed = await openBed();
  deps = { ...bed, committed: () => {} };
  chat = await bed.channel();
  lead = await bed.channel({ name: "lead" });
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 5, language: "en-US" });
});
afterEach(() => bed.db.destroy());

const start = (target: string, schedule?: "weekly" | "monthly") =>
  startDrill(deps, schedule === undefined ? { target, by: "ada" } : { target, schedule, by: "ada" });
const toLead = (given: object = {}) => ({ after: 5, notify: [`channel:${lead}`], ...given });
const list = async () => (await listDrills(deps, { page: 1, pageSize: 50 })).drills;
const factsOf = async (incidentId: string, moment: string): Promise<AlertFacts> =>
  (await bed.db("alerts").where({ incidentId, moment }).first()).facts;
const rendered = (facts: AlertFacts, language: "en-US" | "zh-CN" = "en-US") =>
  renderMessage({ key: "k", alerts: [facts], language });

/** User 1 with a contact per delay. Returns their channels. */
async function person(...after: number[]): Promise<number[]> {
  const channels = await Promise.all(after.map((_, at) => bed.channel({ name: `ada · ${at}`, userId: 1 })));
  const rules = after.map((minutes, at) => ({ urgency: "high", via: "ntfy", after: minutes, channelId: channels[at] }));
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules });
  await bed.db("contacts").insert({ userId: 1, value, updatedAtMs: 0 });
  bed.person(1, { name: "ada" });
  return channels;
}

describe("a drill of a channel", () => {
  test("notifies only that channel, and closes when it is acknowledged", async () => {
    const { drill } = await start(`channel:${lead}`);
    expect(drill).toMatchObject({ target: `channel:${lead}`, targetName: "lead", createdBy: "ada" });
    await bed.pass(minuteMs);
    const acknowledged = await acknowledgeDrill(deps, { id: drill.id, by: "bob" });
    expect(acknowledged.drill.runs).toMatchObject([
      {
        id: "d1",
        acknowledgedAt: new Date(noonMs + minuteMs).toISOString(),
        endedAt: new Date(noonMs + minuteMs).toISOString(),
        acknowledgedBy: ["bob"],
        notified: [{ name: "lead", state: "pending", at: new Date(noonMs).toISOString() }],
      },
    ]);
    expect(await bed.notifications()).toEqual([`d1 opened to ${lead}`, `d1 closed to ${lead}`]);
    expect(await bed.decided()).toContain(`d1 opened to ${lead}: sent drill`);
  });

  test("ends by itself 30 minutes later, without reminders", async () => {
    await start(`channel:${lead}`);
    await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 1, language: "en-US" });
    await bed.pass(30 * minuteMs - 1);
    expect((await list())[0]?.runs[0]?.endedAt).toBeUndefined();
    await bed.pass(1);
    expect((await list())[0]?.runs[0]).toMatchObject({ endedAt: new Date(noonMs + 30 * minuteMs).toISOString() });
    expect(await bed.notifications()).toEqual([`d1 opened to ${lead}`, `d1 closed to ${lead}`]);
  });

  test("is not deferred by silences, maintenance and quiet hours, and disabled alerts do not hold it", async () => {
    await bed.maintain("monitor:0", noonMs, noonMs + dayMs);
    await bed.silence("monitor:0", noonMs + dayMs);
    const quietHours = { start: "00:00", end: "23:59", timeZone: "UTC" };
    await bed.set("global-monitor", { channels: [], enabled: false, quietHours });
    await start(`channel:${lead}`);
    expect(await bed.notifications()).toEqual([`d1 opened to ${lead}`]);
  });

  test("says in every message that it is a drill, and shares none with alerts", async () => {
    await bed.apply(changeOf("opened"));
    const { drill } = await start(`channel:${chat}`);
    await acknowledgeDrill(deps, { id: drill.id, by: "bob" });
    expect(await bed.db("messages").where({ channelId: chat })).toHaveLength(3);
    const [opened, closed] = [await factsOf("d1", "opened"), await factsOf("d1", "closed")];
    expect(rendered(opened).title).toMatch(/^Drill: /);
    expect(rendered(opened, "zh-CN").title).toMatch(/^演练：/);
    expect(rendered(closed)).toMatchObject({ tone: "good", text: expect.stringContaining("Acknowledged by bob") });
    expect(rendered(closed).title).toMatch(/^Drill: /);
  });

  test("is in the list of deliveries without a target, and in no list of incidents", async () => {
    await bed.db("channels").where({ id: lead }).update({ enabled: false });
    await start(`channel:${lead}`);
    await start(`channel:${chat}`);
    const unsent = await listUnsent(bed, { page: 1, pageSize: 50, language: "en-US" });
    expect(unsent.unsent).toEqual([]);
    const { deliveries } = await listDeliveries(bed, { page: 1, pageSize: 50 });
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({ kind: "test", channelId: chat });
    expect(deliveries[0]).not.toHaveProperty("target");
    expect(deliveries[0]).not.toHaveProperty("incidentId");
    const shown = await list();
    expect(shown[1]?.runs[0]?.notified).toMatchObject([{ name: "lead", state: "skipped" }]);
    const { incidents } = await runEndpoints(deps).listIncidents(
      { filter: {}, after: "", limit: 50, uncounted: false },
      {} as never,
    );
    expect(incidents).toEqual([]);
  });
});

describe("a drill of a policy", () => {
  test("takes its steps until it is acknowledged, and proves the policy", async () => {
    const [ada] = await person(0);
    const policy = await bed.policy({ name: "Ops", steps: [toLead(), toLead({ notify: ["user:1"] }), toLead()] });
    const { drill } = await start(`policy:${policy}`);
    await bed.pass(5 * minuteMs);
    await bed.pass(5 * minuteMs);
    await acknowledgeDrill(deps, { id: drill.id, by: "ada" });
    await bed.pass(dayMs);
    expect(await bed.notifications()).toEqual([
      `d1 step:0.0 to ${lead}`,
      `d1 step:0.1 to ${ada}`,
      `d1 closed to ${lead}`,
      `d1 closed to ${ada}`,
    ]);
    expect(rendered(await factsOf("d1", "step:0.0")).fields).toContainEqual({
      label: "Escalation",
      value: "Ops · step 1",
    });
    const { proven } = await listDrills(deps, { page: 1, pageSize: 50 });
    expect(proven.policies).toEqual([
      { id: policy, name: "Ops", lastProvenAt: new Date(noonMs + 10 * minuteMs).toISOString() },
    ]);
  });

  test("goes on while more acknowledgements are needed", async () => {
    const policy = await bed.policy({ name: "Ops", steps: [toLead({ after: 0, needs: 2 })] });
    const { drill } = await start(`policy:${policy}`);
    await bed.pass(0);
    await acknowledgeDrill(deps, { id: drill.id, by: "ada" });
    await acknowledgeDrill(deps, { id: drill.id, by: "ada" });
    expect((await list())[0]?.runs[0]?.endedAt).toBeUndefined();
    await acknowledgeDrill(deps, { id: drill.id, by: "bob" });
    expect((await list())[0]?.runs[0]).toMatchObject({ endedAt: expect.any(String), acknowledgedBy: ["ada", "bob"] });
  });

  test("ends 30 minutes after the last step, and shows steps that reached nobody", async () => {
    await person(0);
    bed.person(1, null);
    const policy = await bed.policy({ name: "Ops", steps: [toLead(), toLead({ after: 60, notify: ["user:1"] })] });
    await start(`policy:${policy}`);
    await bed.pass(5 * minuteMs);
    await bed.pass(60 * minuteMs);
    await bed.pass(30 * minuteMs - 1);
    expect((await list())[0]?.runs[0]?.endedAt).toBeUndefined();
    await bed.pass(1);
    expect((await list())[0]?.runs[0]).toMatchObject({
      endedAt: expect.any(String),
      notified: [{ name: "lead" }, { name: "", state: "nobody" }],
    });
  });
});

describe("a drill of a person", () => {
  test("notifies their contacts as a step would, until one is acknowledged", async () => {
    const [first, second] = await person(0, 10);
    const { drill } = await start("user:1");
    expect(drill.runs[0]?.notified).toMatchObject([
      { name: "ada · 0", state: "pending" },
      { name: "ada · 1", state: "waiting", at: new Date(noonMs + 10 * minuteMs).toISOString() },
    ]);
    await bed.pass(9 * minuteMs);
    await acknowledgeDrill(deps, { id: drill.id, by: "ada" });
    await bed.pass(dayMs);
    expect(await bed.notifications()).toEqual([`d1 step:0.0 to ${first}`, `d1 closed to ${first}`]);
    expect(await bed.decided()).toContain(`d1 step:0.0 to ${second}: skipped acknowledged`);
  });

  test("ends 30 minutes after the last contact", async () => {
    const [, second] = await person(0, 20);
    await start("user:1");
    await bed.pass(20 * minuteMs);
    expect(await bed.notifications()).toContain(`d1 step:0.0 to ${second}`);
    await bed.pass(30 * minuteMs - 1);
    expect((await list())[0]?.runs[0]?.endedAt).toBeUndefined();
    await bed.pass(1);
    expect((await list())[0]?.runs[0]?.endedAt).toBeDefined();
  });
});

test("refuses targets that do not exist, and a second drill of a running one", async () => {
  bed.person(2, null);
  for (const target of ["policy:9", "channel:99", "user:2", `channel:${await bed.channel({ userId: 1 })}`]) {
    await expect(start(target)).rejects.toMatchObject({ code: "impossible" });
  }
  await start(`channel:${lead}`);
  await expect(start(`channel:${lead}`)).rejects.toMatchObject({ code: "impossible" });
  const both = await Promise.allSettled([start(`channel:${chat}`), start(`channel:${chat}`)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

describe("a recurring drill", () => {
  test("starts now and each week, once, whichever notifier starts it", async () => {
    const { drill } = await start(`channel:${lead}`, "weekly");
    expect(drill).toMatchObject({ schedule: "weekly", nextAt: new Date(noonMs + 7 * dayMs).toISOString() });
    await bed.pass(7 * dayMs - 1);
    expect((await list())[0]?.runs).toHaveLength(1);
    bed.clock.advance(1);
    await Promise.all([bed.pass(0), bed.pass(0), bed.pass(0)]);
    expect((await list())[0]).toMatchObject({ nextAt: new Date(noonMs + 14 * dayMs).toISOString() });
    expect((await list())[0]?.runs.map(({ id }) => id)).toEqual(["d2", "d1"]);
    // Those that were missed are left out.
    await bed.pass(30 * dayMs);
    expect((await list())[0]?.runs).toHaveLength(3);
  });

  test("stops when its target was deleted", async () => {
    await start(`channel:${lead}`, "weekly");
    await bed.db("channels").where({ id: lead }).delete();
    await bed.pass(7 * dayMs);
    const [drill] = await list();
    expect(drill?.runs).toHaveLength(1);
    expect(drill?.nextAt).toBeUndefined();
  });

  test("is deleted with its running drill, whose end is told", async () => {
    const { drill } = await start(`channel:${lead}`, "weekly");
    await removeDrill(deps, drill.id);
    expect(await list()).toEqual([]);
    expect(await bed.notifications()).toEqual([`d1 opened to ${lead}`, `d1 closed to ${lead}`]);
    await bed.pass(8 * dayMs);
    expect(await bed.notifications()).toHaveLength(2);
    await expect(removeDrill(deps, drill.id)).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([
    ["monthly", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z"],
    ["monthly", "2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z", "2026-03-31T10:00:00Z"],
    ["monthly", "2026-01-31T10:00:00Z", "2026-07-01T00:00:00Z", "2026-07-31T10:00:00Z"],
    ["weekly", "2026-03-25T10:00:00Z", "2026-03-25T10:00:01Z", "2026-04-01T10:00:00Z"],
  ] as const)("%s since %s starts after %s at %s", (schedule, created, now, next) => {
    expect(nextStartMs({ schedule, createdAtMs: Date.parse(created) }, Date.parse(now))).toBe(Date.parse(next));
  });
});

describe("a message's link", () => {
  const secrets = {
    seal: (text: string) => Buffer.from(text).toString("base64url"),
    open: (text: string) => Buffer.from(text, "base64url").toString(),
    token: () => "signature",
  };
  const ctx = () => ({ ...deps, secrets, publicUrl: "https://sonde.example" }) as unknown as Context;

  test("acknowledges the drill, which ends it, and proves its channel", async () => {
    await start(`channel:${lead}`);
    const { acknowledgeUrl = "", incidentUrl } = linksOf(ctx(), lead)("d1", "en-US");
    expect(incidentUrl).toBe("https://sonde.example/on-call/drills?lang=en-US");
    const token = new URL(acknowledgeUrl).searchParams.get("token") ?? "";
    expect(await readAcknowledgeLink(ctx(), { token })).toMatchObject({ incidentId: "d1", by: "lead" });
    const provenAt = async () =>
      (await listDrills(deps, { page: 1, pageSize: 50 })).proven.channels.map(({ lastProvenAt }) => lastProvenAt);
    expect(await provenAt()).toEqual([undefined, undefined]);
    const runs = runEndpoints(deps);
    const call = {} as never;
    expect((await runs.getIncident({ id: "d1" }, call)).incident).toMatchObject({ target: { name: "Drill" } });
    await readAcknowledgeLink(ctx(), { token, acknowledges: true });
    const { incident } = await runs.acknowledgeIncident({ id: "d1", by: "lead" }, call);
    expect(incident).toMatchObject({ acknowledgedBy: "lead", closedAt: expect.any(String) });
    expect(await provenAt()).toEqual([undefined, new Date(noonMs).toISOString()]);
    await expect(runs.snoozeIncident({ id: "d1", minutes: 60 }, call)).rejects.toMatchObject({ code: "impossible" });
    await bed.apply(changeOf("opened"));
    await expect(runs.getIncident({ id: "m1" }, call)).rejects.toMatchObject({ code: "not_found" });
    await expect(acknowledgeRun(deps, { id: "m1", by: "ada" })).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a delivered message proves its channel only in a drill", async () => {
  const proven = async () => (await bed.db("channels").orderBy("id")).map((row) => row.provenAtMs);
  const deliver = async (channelId: number) => {
    const { id } = await bed.db("messages").where({ channelId }).first<{ id: number }>("id");
    await bed.db("messages").where({ id }).update({ lease: "l", attempts: 1 });
    const message = { id, attempts: 1, lease: "l" } as Parameters<typeof recordEnding>[1];
    const ending = {
      status: "delivered",
      health: "good",
      answer: "",
      inDoubt: false,
      endedAtMs: noonMs + 5,
      dueAtMs: noonMs,
    };
    await recordEnding(bed.db, message, { ...ending, channelId } as Parameters<typeof recordEnding>[2]);
  };
  await bed.apply(changeOf("opened", { facts: create(TargetFactsSchema) }));
  await start(`channel:${lead}`);
  await deliver(chat);
  expect(await proven()).toEqual([null, null]);
  await deliver(lead);
  expect(await proven()).toEqual([null, noonMs + 5]);
});
