import { parseInput } from "@sonde/kit/bus/rpc";
import type { AnnouncementInput } from "@sonde/proto/http/status/announcements";
import { type PublicIncident, publicIncident } from "@sonde/proto/http/status/status";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { openAnnouncing } from "../testing/announcing.ts";
import { addUpdate, createAnnouncement, updateAnnouncement } from "../announcements/announcements.ts";
import { publicIncidents, type PublicIncidentsInput } from "./incidents.ts";

const dayMs = 24 * 3_600_000;
let bed: Awaited<ReturnType<typeof openAnnouncing>>;
beforeAll(async () => void (bed = await openAnnouncing()));
afterAll(() => bed.ctx.db.destroy());
beforeEach(async () => {
  await bed.ctx.db("announcements").delete();
  bed.unavailableServices.clear();
  bed.incidents["monitors"] = [];
  bed.incidents["agents"] = [];
});

const announce = async (fields: Partial<AnnouncementInput> = {}) => {
  const input = { title: "Slow", impact: "minor", ...fields };
  return (await createAnnouncement(bed.ctx, parseInput(statusContract.methods.createAnnouncement.input, input))).id;
};
/** Monitors 1 and 3 and agent 1 are shown, with other names. */
const names: Record<string, string> = { "monitor:1": "Shop", "monitor:3": "Mail", "agent:1": "Rack" };
const shown = [
  { type: "monitor", id: 1 },
  { type: "monitor", id: 3 },
  { type: "agent", id: 1 },
] as const;
const read = (input: Partial<PublicIncidentsInput> = {}) =>
  publicIncidents(bed.ctx, {
    slug: "default",
    shown,
    names: { of: (type, id) => names[`${type}:${id}`] ?? null },
    config: { showIncidents: true },
    maintenance: { at: () => undefined },
    nowMs: bed.clock.now(),
    ...input,
  });
const idsOf = (incidents: readonly PublicIncident[]) => incidents.map(({ id }) => id);
const down = (id: number, targetId: number, fields: { openedAtMs?: number; closedAtMs?: number } = {}) => ({
  id: `m${id}`,
  targetId,
  targetName: "internal-db.corp.example",
  kind: "down",
  cause: "connect ECONNREFUSED 10.0.0.7",
  note: "ask Bob",
  acknowledgedBy: "bob",
  openedAtMs: bed.clock.now() - 60_000,
  ...fields,
});

test("an announcement has its updates newest first as HTML, and the page's targets with their display names", async () => {
  const id = await announce({
    monitors: [1, 2],
    agents: [1, 2],
    text: "We **look**",
  });
  bed.clock.advance(1000);
  await addUpdate(bed.ctx, { id, state: "resolved", text: "<b>Over</b>" });
  await updateAnnouncement(bed.ctx, { id, postMortem: "# Why" });
  const nowMs = bed.clock.now();
  const at = (atMs: number) => new Date(atMs).toISOString();
  expect(await read()).toEqual([
    {
      id: `p${id}`,
      title: "Slow",
      kind: "announced",
      impact: "minor",
      state: "resolved",
      targets: [
        { type: "monitor", id: 1, name: "Shop" },
        { type: "agent", id: 1, name: "Rack" },
      ],
      openedAt: at(nowMs - 1000),
      closedAt: at(nowMs),
      updates: [
        { at: at(nowMs), state: "resolved", text: "<b>Over</b>", html: "<p>&lt;b&gt;Over&lt;/b&gt;</p>" },
        { at: at(nowMs - 1000), state: "investigating", text: "We **look**", html: "<p>We <strong>look</strong></p>" },
      ],
      postMortem: { text: "# Why", html: "<h4>Why</h4>" },
    },
  ]);
});

test("automatic incidents are shown without cause, note, internal names or users", async () => {
  const openedAtMs = bed.clock.now() - 60_000;
  bed.incidents["monitors"] = [down(7, 1), down(8, 2)];
  bed.incidents["agents"] = [
    { id: "a3", targetId: 1, kind: "offline", openedAtMs, closedAtMs: openedAtMs + 1000 },
    { id: "a4", targetId: 1, kind: "threshold", openedAtMs },
  ];
  const openedAt = new Date(openedAtMs).toISOString();
  const incidents = await read();
  expect(incidents).toEqual([
    { id: "m7", kind: "down", targets: [{ type: "monitor", id: 1, name: "Shop" }], openedAt, updates: [] },
    {
      id: "a3",
      kind: "offline",
      targets: [{ type: "agent", id: 1, name: "Rack" }],
      openedAt,
      closedAt: new Date(openedAtMs + 1000).toISOString(),
      updates: [],
    },
  ]);
  expect(z.array(publicIncident).safeParse(incidents).success).toBe(true);
});

test("a slow monitor's incident is shown without its cause, unless it is within maintenance or announced", async () => {
  const nowMs = bed.clock.now();
  const slow = (id: number, targetId: number, fields = {}) => ({ ...down(id, targetId, fields), kind: "slow" });
  bed.incidents["monitors"] = [
    slow(7, 1, { openedAtMs: nowMs - 3000, closedAtMs: nowMs - 2000 }),
    slow(8, 1, { openedAtMs: nowMs - 9000, closedAtMs: nowMs - 6000 }),
    slow(9, 2),
    down(10, 3),
  ];
  const openedAt = new Date(nowMs - 3000).toISOString();
  const closedAt = new Date(nowMs - 2000).toISOString();
  const span = { fromMs: nowMs - 10_000, toMs: nowMs - 5000 };
  const at = (_type: string, _id: number, atMs: number) => (atMs < span.toMs ? span : undefined);
  const incidents = await read({ maintenance: { at } });
  expect(idsOf(incidents)).toEqual(["m10", "m7"]);
  const targets = [{ type: "monitor", id: 1, name: "Shop" }];
  expect(incidents[1]).toEqual({ id: "m7", kind: "slow", targets, openedAt, closedAt, updates: [] });
  const id = await announce({ incidentId: "m7" });
  expect(idsOf(await read({ maintenance: { at } })).toSorted()).toEqual(["m10", `p${id}`]);
});

test("an announced incident is shown only as the announcement", async () => {
  bed.incidents["monitors"] = [down(7, 1), down(9, 3)];
  const id = await announce({ incidentId: "m7" });
  expect(idsOf(await read())).toEqual([`p${id}`, "m9"]);
});

test("an incident of an announced service is shown only as the announcement, until only the incident is open", async () => {
  const nowMs = bed.clock.now();
  const closed = (openedAtMs: number, closedAtMs: number) => ({ openedAtMs, closedAtMs });
  bed.incidents["monitors"] = [
    down(7, 1),
    down(8, 1, closed(nowMs - 90_000, nowMs - 80_000)),
    down(9, 1, closed(nowMs - 70_000, nowMs + 500)),
    down(10, 3),
  ];
  const id = await announce({ monitors: [1], agents: [1] });
  bed.clock.advance(1000);
  expect(idsOf(await read())).toEqual([`p${id}`, "m10", "m8"]);
  await addUpdate(bed.ctx, { id, state: "resolved", text: "Over" });
  expect(idsOf(await read())).toEqual(["m7", "m10", `p${id}`, "m8"]);
});

test("without automatic incidents only announcements are shown", async () => {
  bed.incidents["monitors"] = [down(7, 1)];
  const id = await announce();
  expect(idsOf(await read({ config: { showIncidents: false } }))).toEqual([`p${id}`]);
});

test("open ones are first, then newest, within ninety days", async () => {
  const nowMs = bed.clock.now();
  const ago = (days: number) => nowMs - days * dayMs;
  bed.incidents["monitors"] = [
    down(1, 1, { openedAtMs: ago(200) }),
    down(2, 1, { openedAtMs: ago(1), closedAtMs: ago(0.5) }),
    down(3, 1, { openedAtMs: ago(95), closedAtMs: ago(89) }),
    down(4, 1, { openedAtMs: ago(99), closedAtMs: ago(91) }),
  ];
  const open = await announce();
  const old = await announce({ state: "resolved" });
  const kept = await announce({ state: "resolved" });
  const set = (id: number, createdMs: number, resolvedMs: number | null) =>
    bed.ctx.db("announcements").where({ id }).update({ created_at_ms: createdMs, resolved_at_ms: resolvedMs });
  await set(open, ago(150), null);
  await set(old, ago(92), ago(91));
  await set(kept, ago(92), ago(80));
  expect(idsOf(await read())).toEqual([`p${open}`, "m1", "m2", `p${kept}`, "m3"]);
});

test("an incident within maintenance is hidden, and one that outlives it is shown", async () => {
  const nowMs = bed.clock.now();
  const span = { fromMs: nowMs - 10_000, toMs: nowMs - 5000 };
  const maintenance: PublicIncidentsInput["maintenance"] = {
    at: (type, id, atMs) =>
      type === "monitor" && id === 1 && atMs >= span.fromMs && atMs < span.toMs ? span : undefined,
  };
  bed.incidents["monitors"] = [
    down(1, 1, { openedAtMs: nowMs - 9000, closedAtMs: nowMs - 6000 }),
    down(2, 1, { openedAtMs: nowMs - 9000, closedAtMs: nowMs - 4000 }),
    down(3, 1, { openedAtMs: nowMs - 9000 }),
    down(4, 1, { openedAtMs: nowMs - 11_000, closedAtMs: nowMs - 6000 }),
    down(5, 3, { openedAtMs: nowMs - 9000, closedAtMs: nowMs - 6000 }),
  ];
  expect(idsOf(await read({ maintenance })).toSorted()).toEqual(["m2", "m3", "m4", "m5"]);
  expect(idsOf(await read({ maintenance, nowMs: nowMs - 5500 }))).not.toContain("m3");
});

test("the last incidents of an unavailable producer stay, with current names", async () => {
  bed.incidents["monitors"] = [down(7, 1), down(8, 3)];
  bed.incidents["agents"] = [{ id: "a3", targetId: 1, kind: "offline", openedAtMs: bed.clock.now() }];
  const last = await read();
  bed.unavailableServices.add("monitors");
  bed.incidents["agents"] = [];
  const id = await announce();
  const renamed = { of: (type: string, of: number) => (type === "monitor" && of === 1 ? "Store" : null) };
  const now = await read({ last, names: renamed });
  expect(idsOf(now)).toEqual([`p${id}`, "m7"]);
  expect(now[1]?.targets).toEqual([{ type: "monitor", id: 1, name: "Store" }]);
  expect(idsOf(await read())).toEqual([`p${id}`]);
});

test("at most a hundred are shown, and their texts fit into a bus message", async () => {
  const nowMs = bed.clock.now();
  bed.incidents["monitors"] = Array.from({ length: 150 }, (_none, at) =>
    down(at + 1, 1, { openedAtMs: nowMs - at * 1000, closedAtMs: nowMs }),
  );
  const long = "Lorem *ipsum* ".repeat(700);
  const before = await announce({ text: "Before" });
  bed.clock.advance(1000);
  const first = await announce({ text: long });
  const row = { announcement_id: first, state: "monitoring", text: long, at_ms: 1 };
  await bed.ctx.db("announcement_updates").insert(Array.from({ length: 50 }, () => row));
  bed.clock.advance(1000);
  const second = await announce({ text: "Short" });
  await bed.ctx.db("announcements").update({ post_mortem: "Why" });
  const incidents = await read();
  expect(incidents).toHaveLength(100);
  expect(incidents[0]).toMatchObject({ id: `p${second}`, updates: [{ text: "Short" }], postMortem: { text: "Why" } });
  expect(incidents[2]).toMatchObject({ id: `p${before}`, updates: [{ text: "Before" }] });
  const updates = incidents[1]?.updates.length ?? 0;
  expect(updates).toBeGreaterThan(10);
  expect(updates).toBeLessThan(51);
  expect(Buffer.byteLength(JSON.stringify(incidents))).toBeLessThan(600_000);
});

test("a critical alert of another system is shown as down, without its text; others are not shown", async () => {
  const external = (id: number, severity: string) => ({
    ...down(id, 1),
    kind: "external",
    severity,
    labels: { host: "internal-db" },
    link: "https://internal.example.com",
  });
  bed.incidents["monitors"] = [external(1, "critical"), external(2, "warning"), down(3, 3)] as never;
  const incidents = await read();
  expect(idsOf(incidents).toSorted()).toEqual(["m1", "m3"]);
  expect(incidents.find(({ id }) => id === "m1")).toMatchObject({ kind: "down" });
  expect(JSON.stringify(incidents)).not.toContain("internal");
});
