import { fromBinary } from "@bufbuild/protobuf";
import { followStream } from "@sonde/kit/bus/follow";
import { toAppError } from "@sonde/kit/errors";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { type MonitorInputDraft, monitorInput } from "@sonde/proto/http/monitors/monitors";
import { streams } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type MonitorsTestbed, openTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const create = (fields: object) =>
  bed.monitors.createMonitor({ monitor: monitorInput.parse(fields as MonitorInputDraft) });
const makeMonitor = (name = "shop", fields: object = {}) => create({ name, url: "https://example.com", ...fields });
async function makeGroup(members: number[], fields: object = {}) {
  const made = await create({ type: "group", name: "Group", members, ...fields });
  if (made.type !== "group") throw new Error("this is no group");
  return made;
}
const groupOf = async (id: number) => {
  const found = await bed.monitors.getMonitor({ id });
  if (found.type !== "group") throw new Error("this is no group");
  return found;
};
const becomes = (id: number, state: string) =>
  vi.waitFor(async () => expect((await groupOf(id)).state).toBe(state), { timeout: 30_000, interval: 50 });

let slotMs = Date.now() - 3_600_000;
/** Results of monitors without retries, a second apart. */
async function report(ids: number[], status: "up" | "down"): Promise<void> {
  for (const id of ids) {
    slotMs = Math.max(slotMs + 1_000, Date.now() - 1_000);
    await bed.publish({ monitorId: id, version: 1, slotMs, startedAtMs: Date.now(), status, failures: 9, attempt: 9 });
    await vi.waitFor(async () => expect((await bed.monitors.getMonitor({ id })).status).toBe(status), {
      timeout: 30_000,
      interval: 30,
    });
  }
}
const incidentsOf = async (targetId: number) =>
  (await bed.incidents.listIncidents({ filter: { targetId }, limit: 50 })).incidents.map(({ incident }) => incident);

const query = async <Row>(sql: string, values: (number | string)[] = []): Promise<Row[]> => {
  const db = await openDatabase({ url: inject("databaseUrl"), schema: bed.schema, migrations: {}, log: silentLog });
  const { rows } = await db.raw<{ rows: Row[] }>(sql, values);
  await db.destroy();
  return rows;
};

test("a group is partial without an incident, down with one incident, and recovers", async () => {
  const ids = [await makeMonitor("a"), await makeMonitor("b"), await makeMonitor("c")].map(({ id }) => id);
  const { id } = await makeGroup(ids, { need: 2 });
  expect(await groupOf(id)).toMatchObject({ state: "pending", counts: { up: 0, down: 0, ignored: 3 }, stale: false });
  await report(ids, "up");
  await becomes(id, "up");
  await report([ids[0]!], "down");
  await becomes(id, "partial");
  expect(await groupOf(id)).toMatchObject({ status: "up", counts: { up: 2, down: 1, ignored: 0 }, needed: 2 });
  expect(await incidentsOf(id)).toEqual([]);
  await report([ids[1]!], "down");
  await becomes(id, "down");
  const member = await bed.monitors.getMonitor({ id: ids[1]! });
  const cause = "1 of 3 members are up, 2 needed; down: a, b";
  expect(await incidentsOf(id)).toMatchObject([{ kind: "down", cause, openedAt: member.statusSince }]);
  await report([ids[0]!], "up");
  await becomes(id, "partial");
  expect(await incidentsOf(id)).toMatchObject([{ resolution: "recovered" }]);
  const states = await query("select state from group_spans where group_id = ? order by from_ms, id", [id]);
  expect(states).toEqual(["pending", "up", "partial", "down", "partial"].map((state) => ({ state })));
});

test("checks of 200 members without a change of status cause no work for their group", async () => {
  const ids: number[] = [];
  for (let at = 0; at < 200; at += 1) ids.push((await makeMonitor(`steady ${at}`)).id);
  const group = await makeGroup(ids);
  const checkAll = async () => {
    slotMs = Math.max(slotMs + 1_000, Date.now() - 1_000);
    const atMs = Date.now();
    const fields = { version: 1, slotMs, startedAtMs: atMs, status: "up", attempt: 1 };
    await bed.publish(...ids.map((monitorId) => ({ monitorId, ...fields })));
    const unchecked = async () => {
      const { monitors } = await bed.monitors.listMonitors({ group: group.id, page: 1, pageSize: 200 });
      return monitors.filter(({ lastCheckedAt }) => lastCheckedAt !== new Date(atMs).toISOString()).length;
    };
    await vi.waitFor(async () => expect(await unchecked()).toBe(0), { timeout: 30_000, interval: 50 });
  };
  await checkAll();
  await becomes(group.id, "up");
  const writtenFacts = async () =>
    query(
      `select (select max(id) from status_changes) as changes, (select max(id) from group_spans) as spans,
         (select count(*) from status_changes where not is_decided) as undecided`,
    );
  await vi.waitFor(async () => expect(await writtenFacts()).toMatchObject([{ undecided: 0 }]), 30_000);
  const before = await writtenFacts();
  for (let times = 0; times < 5; times += 1) await checkAll();
  expect(await writtenFacts()).toEqual(before);
});

test("groups within groups follow each other, and none contains itself", async () => {
  const { id } = await makeMonitor("inner");
  const inner = await makeGroup([id], { name: "Inner" });
  const outer = await makeGroup([inner.id], { name: "Outer" });
  await report([id], "up");
  await becomes(outer.id, "up");
  await report([id], "down");
  await becomes(outer.id, "down");
  const refusal = async (members: number[]) =>
    bed.monitors.updateMonitor({ id: inner.id, patch: { members } }).then(
      () => null,
      (error: unknown) => toAppError(error),
    );
  expect(await refusal([outer.id])).toMatchObject({
    code: "impossible",
    details: [{ path: "members", params: { circle: "Inner → Outer → Inner" } }],
  });
  expect(await refusal([inner.id])).toMatchObject({ code: "impossible" });
  expect(await refusal([id, 999_999])).toMatchObject({ code: "impossible", details: [{ path: "members.1" }] });
  let top = outer.id;
  for (let level = 3; level <= 5; level += 1) top = (await makeGroup([top], { name: `Level ${level}` })).id;
  await expect(makeGroup([top])).rejects.toThrow();
});

test("a group of a tag follows the tag", async () => {
  const first = await makeMonitor("tagged", { tags: ["pay"] });
  const other = await makeMonitor("other");
  const group = await create({ type: "group", name: "Pay", tag: "pay", tags: ["pay"] });
  await report([first.id], "up");
  await becomes(group.id, "up");
  await report([other.id], "down");
  expect((await groupOf(group.id)).counts).toEqual({ up: 1, down: 0, ignored: 0 });
  await bed.monitors.updateMonitor({ id: other.id, patch: { tags: ["pay"] } });
  await becomes(group.id, "down");
  await bed.monitors.updateMonitor({ id: other.id, patch: { tags: [] } });
  await becomes(group.id, "up");
});

test("paused members do not count, and a deleted one leaves the group", async () => {
  const [one, other] = [await makeMonitor("one"), await makeMonitor("other")];
  const group = await makeGroup([one.id, other.id], { need: 2 });
  await report([one.id], "up");
  await report([other.id], "down");
  await becomes(group.id, "down");
  await bed.monitors.pauseMonitor({ id: other.id });
  await becomes(group.id, "up");
  expect(await groupOf(group.id)).toMatchObject({ counts: { up: 1, down: 0, ignored: 1 }, needed: 1 });
  await bed.monitors.deleteMonitor({ id: other.id });
  expect(await groupOf(group.id)).toMatchObject({ members: [one.id], need: 1 });
  await bed.monitors.deleteMonitor({ id: group.id });
  expect(await bed.monitors.getMonitor({ id: one.id })).toMatchObject({ status: "up" });
});

test("a paused group has no state, and its pause is outside its uptime", async () => {
  const { id } = await makeMonitor("pausing");
  const group = await makeGroup([id]);
  await report([id], "up");
  await becomes(group.id, "up");
  await bed.monitors.pauseMonitor({ id: group.id });
  expect(await groupOf(group.id)).toMatchObject({ state: "paused", status: "paused" });
  expect((await groupOf(group.id)).groupUptime).toEqual({ h24: 100, d30: 100, d90: 100 });
  await report([id], "down");
  expect(await incidentsOf(group.id)).toEqual([]);
  await bed.monitors.resumeMonitor({ id: group.id });
  await becomes(group.id, "down");
});

test("with notifyMembers false, events of members name the group, until it is paused", async () => {
  const { id } = await makeMonitor("left to its group");
  const group = await makeGroup([id], { name: "Quiet", notifyMembers: false });
  await makeGroup([id], { name: "Loud" });
  const named: string[][] = [];
  const following = followStream(bed.bus, {
    stream: streams.events.name,
    subjects: ["events.incident.*"],
    from: null,
    onMessage: async ({ data }: { data: Uint8Array }) => {
      const { fact } = fromBinary(EventSchema, data);
      if (fact.case !== "incident" || fact.value.incident?.targetId !== id || fact.value.change !== "opened") return;
      named.push(fact.value.facts?.alertedBy ?? []);
    },
  } as never);
  await report([id], "up");
  await report([id], "down");
  await vi.waitFor(() => expect(named).toEqual([["Quiet"]]), 30_000);
  await report([id], "up");
  await bed.monitors.pauseMonitor({ id: group.id });
  await report([id], "down");
  await vi.waitFor(() => expect(named).toEqual([["Quiet"], []]), 30_000);
  await following.stop();
});

test("the uptime of a group is exact: changes that arrive late count when they happened", async () => {
  const ids = [await makeMonitor("late a"), await makeMonitor("late b")].map(({ id }) => id);
  const { id } = await makeGroup(ids);
  await report(ids, "up");
  await becomes(id, "up");
  const startMs = Date.now() + 1_000;
  await sleep(2_500);
  // The second one began to fail first, and is known last.
  const fail = (target: number, startedAtMs: number) =>
    bed.publish({
      monitorId: target,
      version: 1,
      slotMs: startedAtMs,
      startedAtMs,
      status: "down",
      failures: 9,
      attempt: 9,
    });
  await fail(ids[0]!, startMs + 900);
  await becomes(id, "down");
  await fail(ids[1]!, startMs + 100);
  const firstDown = async () =>
    (
      await query<{ at: string }>("select min(from_ms) as at from group_spans where group_id = ? and state = 'down'", [
        id,
      ])
    )[0];
  await vi.waitFor(async () => expect(Number((await firstDown())?.at)).toBe(startMs + 100), 30_000);
});

test("groups are not checked, have no address, and reject settings of checks", async () => {
  const { id } = await makeGroup([(await makeMonitor()).id]);
  await expect(bed.monitors.checkNow({ id })).rejects.toThrow("Groups cannot be checked manually");
  await expect(bed.monitors.renewPingUrl({ id })).rejects.toThrow();
  await expect(bed.monitors.updateMonitor({ id, patch: { interval: 5 } })).rejects.toThrow();
});
