import { type IncidentFilter, incidentsContract } from "@sonde/proto/rpc/incidents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@sonde/kit/postgres/database";
import { listEvents } from "@sonde/kit/testing/events";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { openIncidents, targets } from "./incidents.testing.ts";
import { listIncidentMarks, listIncidents } from "./list.ts";
import { endSnooze, snoozeIncident } from "./snooze.ts";
import { countOpenIncidents, getIncident, incidentStore, pruneIncidents } from "./store.ts";
import { orders } from "./table.ts";
import { dropDeletedDependencies, listDependencies } from "./targets.ts";

const { methods } = incidentsContract;
type Filter = IncidentFilter;

const things = `
  create table things (
    id int primary key, name text not null, depends_on jsonb not null default '[]', deleted_at_ms bigint
  );
  insert into things values (1, 'shop'), (2, 'mail_100%'), (3, 'never listed');
`;
const rows = `
  insert into incidents (target_id, kind, cause, opened_at_ms, closed_at_ms) values
    (1, 'down', 'a timeout', 10, 20), (2, 'threshold', 'refused', 20, null),
    (1, 'down', 'shop is away', 30, 90), (2, 'down', 'a timeout', 30, 40);
`;

let db: Database;
beforeAll(async () => void (db = await openIncidents({ before: things, rows })));
afterAll(() => db.destroy());

const nowMs = 100;
const list = (filter: Filter, after = "", limit = 50) =>
  listIncidents(db, targets, methods.listIncidents.input.parse({ filter, after, limit }), nowMs);
const ids = async (...asked: Parameters<typeof list>) =>
  (await list(...asked)).incidents?.map(({ incident }) => Number(incident?.id?.slice(1)));
const marks = (filter: Filter, every: number, after = "") =>
  listIncidentMarks(db, targets, methods.listIncidentMarks.input.parse({ filter, every, after }));

test("a search can ignore the output of jobs", async () => {
  const cause = "The job ended with exit code 2: PGPASSWORD=x\ny";
  await db.raw("insert into incidents (target_id, kind, cause, opened_at_ms) values (1, 'down', ?, 5)", [cause]);
  expect(await ids({ search: "pgpassword" })).toHaveLength(1);
  expect(await ids({ search: "pgpassword", hideOutput: true })).toEqual([]);
  expect(await ids({ search: "exit code 2", hideOutput: true })).toHaveLength(1);
  expect((await list({ search: "pgpassword", hideOutput: true })).total).toBe(0);
  await db("incidents").where({ cause }).delete();
});

test.each<[string, Filter, number[]]>([
  ["open ones first, then the newest, by id within an instant", {}, [2, 4, 3, 1]],
  ["newest first", { sort: "-openedAt" }, [4, 3, 2, 1]],
  ["oldest first", { sort: "openedAt" }, [1, 2, 3, 4]],
  ["the last to close first, an open one before all", { sort: "-closedAt" }, [2, 3, 4, 1]],
  ["the first to close first, an open one after all", { sort: "closedAt" }, [1, 4, 3, 2]],
  ["open ones", { open: true }, [2]],
  ["closed ones", { open: false }, [4, 3, 1]],
  ["one target's", { targetId: 1 }, [3, 1]],
  ["several targets'", { targetIds: [2, 3, 3_000_000_000] }, [2, 4]],
  ["those of some ids, in the order of the list", { ids: [3, 2, 3_000_000_000] }, [2, 3]],
  ["nothing for no ids", { ids: [] }, []],
  ["one kind's", { kind: "threshold" }, [2]],
  ["nothing for an unknown id", { targetId: 3_000_000_000 }, []],
  ["those whose target or cause contains a text, ignoring case", { search: "SHOP" }, [3, 1]],
  ["matches of a literal text", { search: "_100%" }, [2, 4]],
  ["matches of a text without its NUL", { search: "ref\0used" }, [2]],
  ["matches of all filters", { search: "timeout", open: false, targetId: 2 }, [4]],
])("lists %s, from any cursor", async (_what, filter, wanted) => {
  expect(await ids(filter)).toEqual(wanted);
  const { marks: found, total } = await marks(filter, 1);
  expect(total).toBe(wanted.length);
  for (const [index, { cursor }] of found.entries()) expect(await ids(filter, cursor)).toEqual(wanted.slice(index + 1));
});

test("ranks ascend within a list, and marks have those of their incidents", async () => {
  for (const sort of [undefined, "-openedAt", "openedAt", "-closedAt", "closedAt"] as const) {
    const ranks = (await list({ sort })).incidents?.map(({ rank }) => rank ?? 0) ?? [];
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
    expect((await marks({ sort }, 1)).marks?.map(({ rank }) => rank)).toEqual(ranks);
  }
});

test("marks follow every n-th incident after a cursor", async () => {
  const { marks: found, total } = await marks({}, 2);
  expect([found.length, total]).toEqual([2, 4]);
  expect(await ids({}, found[0]?.cursor)).toEqual([3, 1]);
  const next = await marks({}, 1, found[0]?.cursor);
  expect([next.marks?.length, next.total]).toEqual([2, 4]);
});

test("a list has its targets' names, is limited, and counts all matches", async () => {
  const { incidents, total } = await list({}, "", 1);
  expect([incidents?.length, total]).toEqual([1, 4]);
  const asked = methods.listIncidents.input.parse({ limit: 1, uncounted: true });
  const uncounted = await listIncidents(db, targets, asked, nowMs);
  expect([uncounted.incidents, uncounted.total]).toEqual([incidents, 0]);
  expect(incidents?.[0]?.incident).toMatchObject({ id: "t2", target: { type: "monitor", name: "mail_100%" } });
  expect(await countOpenIncidents(db)).toBe(1);
});

test("an invalid cursor is rejected", async () => {
  await expect(list({}, "1_1); drop table incidents")).rejects.toThrow("cursor");
});

test("a target has one open incident per kind and metric; it counts flaps, closes once, and is pruned later", async () => {
  const thing = { id: 3, name: "never listed" };
  const store = incidentStore(targets);
  const cpu = { kind: "threshold", metric: "cpu" } as const;
  expect(await store.open(db, thing, cpu, "CPU at 99 %", 50.4)).toMatchObject({ metric: "cpu", openedAtMs: 50 });
  expect(await store.open(db, thing, cpu, "CPU at 98 %", 51)).toBeNull();
  expect(await store.open(db, thing, { kind: "down" }, "gone", 52)).toMatchObject({ metric: undefined });
  await store.countFlap(db, thing, cpu);
  expect(await store.findOpen(db, thing, cpu)).toMatchObject({ flaps: 1, cause: "CPU at 99 %" });
  // Even if the clock was set back, an incident does not close before it opened.
  expect(await store.close(db, thing, cpu, "recovered", 20)).toMatchObject([{ closedAtMs: 50, flaps: 1 }]);
  expect(await store.close(db, thing, cpu, "recovered", 60)).toEqual([]);
  expect(await store.closeAll(db, [thing], "deleted", 60)).toMatchObject([
    { target: thing, incident: { kind: "down", resolution: "deleted" } },
  ]);
  expect(await pruneIncidents(db, 61)).toBe(4);
  expect(await ids({ open: true })).toEqual([2]);
});

test("an incident is found by its id", async () => {
  const { incident } = await getIncident(db, targets, { id: "t2" }, nowMs);
  expect(incident).toMatchObject({ id: "t2", target: { name: "mail_100%" }, kind: "threshold" });
  for (const id of ["", "t", "t0", "t99999", "t9999999999", "m2", "2", "t2; select 1"]) {
    await expect(getIncident(db, targets, { id }, nowMs)).rejects.toMatchObject({ code: "not_found" });
  }
});

const iso = (ms: number) => new Date(ms).toISOString();
const thing = { id: 3, name: "never listed" };
const openOne = async (metric: string) => {
  const opened = await incidentStore(targets).open(db, thing, { kind: "threshold", metric }, "high", 70);
  return opened?.id ?? "";
};
const published = async (id: string) =>
  (await listEvents(db, 0, 1_000))
    .flatMap(({ fact }) => (fact.case === "incident" && fact.value.incident?.id === id ? [fact.value] : []))
    .toSorted((one, other) => one.incident!.revision - other.incident!.revision);

describe("an acknowledged incident", () => {
  const acknowledge = async (id: string, by: string, note = "", atMs = 100) =>
    (await acknowledgeIncident(db, targets, { id, by, note }, atMs)).incident;

  test("has author, time and note, and is published once", async () => {
    const id = await openOne("cpu");
    const first = await acknowledge(id, "ada", " on it\n");
    expect(first).toMatchObject({
      acknowledgedAt: iso(100),
      acknowledgedBy: "ada",
      note: "on it",
      target: { name: thing.name },
    });
    expect((await getIncident(db, targets, { id }, nowMs)).incident).toEqual(first);
    expect(await published(id)).toMatchObject([{ change: "acknowledged", quiet: false, incident: { note: "on it" } }]);
    expect(await acknowledge(id, "ada", "on it", 200)).toEqual(first);
    expect(await published(id)).toHaveLength(1);
  });

  test("keeps its time when another note replaces the first and its author", async () => {
    const id = await openOne("memory");
    await acknowledge(id, "ada", "looking");
    const second = await acknowledge(id, "bob", "fixed", 200);
    expect(second).toMatchObject({ acknowledgedAt: iso(100), acknowledgedBy: "bob", note: "fixed" });
    expect((await published(id)).map(({ incident }) => incident?.note)).toEqual(["looking", "fixed"]);
  });

  test("may be closed, and matches the filter", async () => {
    const id = await openOne("disk:/");
    await incidentStore(targets).close(db, thing, { kind: "threshold", metric: "disk:/" }, "recovered", 90);
    expect(await acknowledge(id, "ada")).toMatchObject({ acknowledgedAt: iso(100), closedAt: iso(90) });
    const acknowledged = await ids({ acknowledged: true, targetId: 3 });
    const others = await ids({ acknowledged: false });
    expect(acknowledged).toContain(Number(id.slice(1)));
    expect(others).toContain(2);
    expect(others?.filter((other) => acknowledged?.includes(other))).toEqual([]);
  });

  test("keeps users' notes whatever anonymous users of a link write", async () => {
    const byLink = async (id: string, note: string, by = "Ops") =>
      (await acknowledgeIncident(db, targets, { id, by, note, isByLink: true }, 300)).incident;
    const noted = await openOne("noted");
    const first = await acknowledge(noted, "ada", "looking");
    expect(await byLink(noted, "nothing to see")).toEqual(first);
    const plain = await openOne("plain");
    await acknowledge(plain, "bob");
    expect(await byLink(plain, "mine")).toMatchObject({ acknowledgedBy: "bob" });
    const linked = await openOne("linked");
    await byLink(linked, "");
    expect(await byLink(linked, "on it")).toMatchObject({ acknowledgedBy: "Ops", note: "on it" });
    expect(await byLink(linked, "again")).toMatchObject({ note: "on it" });
    expect(await published(linked)).toHaveLength(2);
    expect(await acknowledge(linked, "ada", "fixed")).toMatchObject({ acknowledgedBy: "ada", note: "fixed" });
  });

  test("is acknowledged once by concurrent requests", async () => {
    const id = await openOne("disk:/var");
    const both = await Promise.all([acknowledge(id, "ada"), acknowledge(id, "ada")]);
    expect(both[0]).toEqual(both[1]);
    expect(await published(id)).toHaveLength(1);
  });

  test("is rejected if the note is too long or cannot be stored, or the author is missing", async () => {
    const id = await openOne("disk:/home");
    expect(methods.acknowledgeIncident.input.safeParse({ id, note: "x".repeat(2001) }).success).toBe(false);
    for (const note of ["a\0b", "\ud800"]) {
      await expect(acknowledge(id, "ada", note)).rejects.toMatchObject({
        code: "invalid",
        details: [{ path: "note" }],
      });
    }
    await expect(acknowledge(id, "")).rejects.toThrow("needs an author");
    await expect(acknowledge("t99999", "ada")).rejects.toMatchObject({ code: "not_found" });
    expect(await published(id)).toEqual([]);
    expect(await acknowledge(id, "🙂".repeat(300))).toMatchObject({ acknowledgedBy: `${"🙂".repeat(99)}…` });
  });
});

test("an acknowledgement is removed with its note, stays in the history, and can be given again", async () => {
  const id = await openOne("taken back");
  const by = (name: string) => ({ id, by: name });
  expect((await unacknowledgeIncident(db, targets, by("bob"), 90)).incident.acknowledgedAt).toBeUndefined();
  await acknowledgeIncident(db, targets, { ...by("ada"), note: "on it" }, 100);
  const { incident } = await unacknowledgeIncident(db, targets, by("bob"), 200);
  for (const field of ["acknowledgedAt", "acknowledgedBy", "note"]) expect(incident).not.toHaveProperty(field);
  expect((await getIncident(db, targets, { id }, 200)).actions).toEqual([
    { at: iso(100), type: "acknowledged", by: "ada", note: "on it" },
    { at: iso(200), type: "unacknowledged", by: "bob" },
  ]);
  const again = await acknowledgeIncident(db, targets, by("eve"), 300);
  expect(again.incident).toMatchObject({ acknowledgedAt: iso(300), acknowledgedBy: "eve" });
  expect((await published(id)).map(({ change, incident: of }) => [change, of?.revision, of?.acknowledgedAtMs])).toEqual(
    [
      ["acknowledged", 1, 100],
      ["unacknowledged", 2, undefined],
      ["acknowledged", 3, 300],
    ],
  );
});

describe("a snoozed incident", () => {
  const minuteMs = 60_000;
  const startMs = 1_790_000_000_000;
  const snooze = (id: string, minutes: number, given: { by?: string; isByLink?: boolean; atMs?: number } = {}) => {
    const { by = "ada", isByLink, atMs = startMs } = given;
    return snoozeIncident(db, targets, { id, by, isByLink, minutes }, atMs);
  };
  const at = async (id: string, atMs: number) => (await getIncident(db, targets, { id }, atMs)).incident.snoozedUntil;
  const until = (minutes: number) => iso(startMs + minutes * minuteMs);

  test("shows end and author while it is snoozed, and each snooze is published", async () => {
    const id = await openOne("snoozed");
    expect((await snooze(id, 60)).incident).toMatchObject({ snoozedUntil: until(60), snoozedBy: "ada" });
    expect((await snooze(id, 30, { by: "bob" })).incident).toMatchObject({ snoozedUntil: until(30), snoozedBy: "bob" });
    // A repeated request changes nothing.
    await snooze(id, 30, { by: "eve" });
    expect(await at(id, startMs + 30 * minuteMs - 1)).toBe(until(30));
    expect(await at(id, startMs + 30 * minuteMs)).toBeUndefined();
    expect((await published(id)).map(({ change, incident }) => [change, incident?.snoozedUntilMs])).toEqual([
      ["snoozed", startMs + 60 * minuteMs],
      ["snoozed", startMs + 30 * minuteMs],
    ]);
  });

  test("is no longer snoozed after the snooze was ended or the incident closed", async () => {
    const id = await openOne("ended");
    await snooze(id, 60);
    const { incident } = await endSnooze(db, targets, { id, by: "bob" }, startMs + minuteMs);
    expect(incident).not.toHaveProperty("snoozedUntil");
    expect((await endSnooze(db, targets, { id, by: "bob" }, startMs + minuteMs)).incident).toEqual(incident);
    expect((await getIncident(db, targets, { id }, startMs)).actions).toEqual([
      { at: iso(startMs), type: "snoozed", by: "ada", until: until(60) },
      { at: iso(startMs + minuteMs), type: "snooze_ended", by: "bob" },
    ]);
    expect((await published(id)).map(({ incident: of }) => of?.snoozedUntilMs)).toEqual([
      startMs + 60 * minuteMs,
      undefined,
    ]);
    await snooze(id, 60);
    const closed = await incidentStore(targets).close(
      db,
      thing,
      { kind: "threshold", metric: "ended" },
      "recovered",
      90,
    );
    expect(closed).toMatchObject([{ snoozedUntilMs: undefined }]);
    expect(await at(id, startMs)).toBeUndefined();
    await expect(snooze(id, 60)).rejects.toMatchObject({ code: "impossible" });
    expect((await endSnooze(db, targets, { id, by: "ada" }, startMs)).incident.closedAt).toBeDefined();
  });

  test("can only be extended through a link, and rarely", async () => {
    const id = await openOne("linked snooze");
    const byLink = { by: "Ops", isByLink: true };
    await snooze(id, 120);
    expect((await snooze(id, 60, byLink)).incident).toMatchObject({ snoozedUntil: until(120), snoozedBy: "ada" });
    const later = { ...byLink, atMs: startMs + 61 * minuteMs };
    expect((await snooze(id, 60, later)).incident.snoozedUntil).toBe(until(120));
    expect((await snooze(id, 60, { ...later, atMs: startMs + 65 * minuteMs })).incident).toMatchObject({
      snoozedUntil: until(125),
      snoozedBy: "Ops",
    });
    expect(await published(id)).toHaveLength(2);
  });

  test("rejects an end that is too near, too far, or missing", async () => {
    const id = await openOne("bounds");
    const ends = [
      { until: until(4) },
      { until: until(1_441) },
      { until: iso(0) },
      {},
      { minutes: 5, until: until(60) },
    ];
    for (const end of ends) {
      const asked = snoozeIncident(db, targets, { id, by: "ada", ...end }, startMs);
      await expect(asked).rejects.toMatchObject({ code: "invalid", details: [{ path: "until" }] });
    }
    expect(await published(id)).toEqual([]);
    const { incident } = await snoozeIncident(db, targets, { id, by: "ada", until: until(5) }, startMs + 5_000);
    expect(incident.snoozedUntil).toBe(until(5));
  });

  test("keeps only the newest actions", async () => {
    const id = await openOne("often");
    for (let minutes = 5; minutes < 30; minutes++) await snooze(id, minutes);
    const { actions } = await getIncident(db, targets, { id }, startMs);
    expect([actions.length, actions.at(-1)?.until]).toEqual([20, until(29)]);
  });
});

test("dependencies are listed by ascending id after a given one, without those of deleted targets", async () => {
  await db.raw(`insert into things (id, name, depends_on, deleted_at_ms) values
    (12, 'b', '[{"type": "agent", "id": 4}, {"type": "monitor", "id": 1}]', null),
    (11, 'a', '[{"type": "monitor", "id": 2}]', null),
    (13, 'gone', '[{"type": "monitor", "id": 2}]', 5), (14, 'alone', '[]', null)`);
  const dependsOn = [
    { type: "agent", id: 4 },
    { type: "monitor", id: 1 },
  ];
  const last = { targetId: 12, dependsOn };
  const first = { targetId: 11, dependsOn: [{ type: "monitor", id: 2 }] };
  expect(await listDependencies(db, targets, { afterId: 0 })).toEqual({ dependencies: [first, last], more: false });
  expect(await listDependencies(db, targets, { afterId: 11 })).toEqual({ dependencies: [last], more: false });
});

test("dependencies on deleted targets of the same kind are removed, and others keep their order", async () => {
  await db.raw(`insert into things (id, name, depends_on, deleted_at_ms) values (21, 'gone', '[]', 5),
    (22, 'child', '[{"type":"monitor","id":2},{"type":"monitor","id":21},{"type":"agent","id":21},{"type":"monitor","id":1}]', null),
    (23, 'orphan', '[{"type":"monitor","id":3000000000}]', null)`);
  await dropDeletedDependencies(db, targets);
  const { dependencies } = await listDependencies(db, targets, { afterId: 20 });
  const left = [
    { type: "monitor", id: 2 },
    { type: "agent", id: 21 },
    { type: "monitor", id: 1 },
  ];
  expect(dependencies).toEqual([{ targetId: 22, dependsOn: left }]);
});

test.each(["", "-openedAt", "-closedAt"] as const)("the order %j uses an index instead of sorting", async (name) => {
  const { rank, tie } = orders[name];
  const plan = await db.transaction(async (trx) => {
    // Few rows would be sorted instead of read from the index.
    await trx.raw("set local enable_seqscan = off; set local enable_sort = off");
    return trx.raw<{ rows: unknown[] }>(`explain (costs off) select * from incidents order by ${rank}, ${tie} limit 5`);
  });
  expect(JSON.stringify(plan.rows)).toContain("Index Scan using incidents_");
  expect(JSON.stringify(plan.rows)).not.toContain("Sort");
});
