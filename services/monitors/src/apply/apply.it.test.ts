import { unzipLines, zipLines } from "@sonde/domain/managed/lines";
import type { ConfigLine, ConfigOutcome } from "@sonde/proto/rpc/apply";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { inputOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

type Fields = Record<string, unknown>;
type Entries = Record<string, Fields & { adopt?: boolean; place?: string }>;
const noIds = { monitors: {}, agents: {}, channels: {} };

const linesOf = (entries: Entries): Promise<string> =>
  zipLines(
    Object.entries(entries).map(([key, { adopt = false, place, ...fields }]): ConfigLine => ({
      kind: "monitor",
      key,
      adopt,
      place,
      fields,
    })),
  );
async function plan(entries: Entries, source: string | null = "git", agents: Record<string, number> = {}) {
  const lines = await linesOf(entries);
  const answer = await bed.monitors.applyMonitors({ source, generation: null, lines, ids: { ...noIds, agents } });
  const outcomes = (await unzipLines(answer.lines)).map((text) => JSON.parse(text) as ConfigOutcome);
  return { outcomes, writes: answer.writes, of: (key: string) => outcomes.find((one) => one.key === key) };
}
async function apply(entries: Entries, source: string | null = "git") {
  const { outcomes } = await plan(entries, source);
  const fresh = outcomes.filter(({ outcome }) => outcome === "create").map(({ key }) => key);
  const { generation, ids } = await bed.monitors.beginApply({ source, monitors: fresh.length });
  const monitors = Object.fromEntries(fresh.map((key, at) => [key, ids[at]!]));
  const lines = await linesOf(entries);
  await bed.monitors.applyMonitors({ source, generation, lines, ids: { ...noIds, monitors } });
  return monitors;
}
const all = async () => (await bed.monitors.listMonitors({ pageSize: 200, sort: "name" })).monitors;
const named = async (name: string) => (await all()).find((one) => one.name === name)!;
const conflict = (message: string) => ({ code: "conflict", message });

beforeEach(async () => {
  for (const { name } of (await bed.monitors.listSources({})).sources) await bed.monitors.release({ source: name });
  await bed.monitors.bulkMonitors({ ids: (await all()).map(({ id }) => id), action: "delete" });
});

const shop = { url: "https://shop.example.com/health" };
const db = { type: "tcp", host: "db", port: 5432 };

describe("a document", () => {
  test("creates its monitors under the reserved ids with the API's defaults, and manages the given fields", async () => {
    const entries = { db, shop: { ...shop, dependsOn: ["monitor:db"], tags: ["prod"], place: "sonde.yaml:7" } };
    const ids = await apply(entries);
    const created = await bed.monitors.createMonitor({ monitor: inputOf({ name: "shop", ...shop, tags: ["prod"] }) });
    const { id, managed, dependsOn, ...made } = await bed.monitors.getMonitor({ id: ids["shop"]! });
    const same = ({ createdAt: _c, updatedAt: _u, statusSince: _s, nextCheckAt: _n, ...rest }: Fields) => rest;
    const { id: _id, dependsOn: _none, ...other } = created;
    expect(same(made)).toEqual(same(other));
    expect([id, dependsOn]).toEqual([ids["shop"], [{ type: "monitor", id: ids["db"] }]]);
    expect(managed).toEqual({
      source: "git",
      key: "shop",
      place: "sonde.yaml:7",
      fields: ["dependsOn", "tags", "url"],
    });
  });

  test("applied twice writes nothing, even if users changed unmanaged fields", async () => {
    const ids = await apply({ db, shop });
    await bed.monitors.updateMonitor({ id: ids["shop"]!, patch: { name: "The shop", interval: 5 } });
    await bed.monitors.pauseMonitor({ id: ids["shop"]! });
    const before = await all();
    const { outcomes, writes } = await plan({ db, shop });
    expect([outcomes.map(({ outcome }) => outcome), writes]).toEqual([["same", "same"], 0]);
    await apply({ db, shop });
    expect(await all()).toEqual(before);
  });

  test("names the members of groups by key, also those that come later or are groups", async () => {
    const entries = {
      outer: { type: "group", members: ["inner", "shop"], need: 1 },
      inner: { type: "group", members: ["db"] },
      db,
      shop,
    };
    const ids = await apply(entries);
    expect(await bed.monitors.getMonitor({ id: ids["outer"]! })).toMatchObject({
      members: [ids["inner"], ids["shop"]],
      need: 1,
    });
    expect((await plan(entries)).writes).toBe(0);
    const { of } = await plan({ ...entries, inner: { type: "group", members: ["db", "gone"] } });
    expect(of("inner")).toMatchObject({ outcome: "fault", faults: [{ path: "members.1" }] });
    const circle = { ...entries, inner: { type: "group", members: ["outer"] } };
    await expect(apply(circle)).rejects.toMatchObject({ code: "impossible" });
    const refused = (await plan(circle)).outcomes.filter(({ outcome }) => outcome === "fault");
    expect(refused).toMatchObject([
      { key: "inner", isImpossible: true, faults: [{ path: "members", params: { circle: "inner → outer → inner" } }] },
    ]);
    expect((await plan(entries, null)).of("inner")).toMatchObject({ outcome: "same" });
  });

  test("with new groups that contain each other, or are nested too deep, is refused when it is planned", async () => {
    const group = (...members: string[]) => ({ type: "group", members });
    const refused = async (entries: Entries) =>
      (await plan(entries)).outcomes.filter(({ outcome }) => outcome === "fault");
    expect(await refused({ db, a: group("b"), b: group("c", "db"), c: group("a") })).toMatchObject([
      { key: "a", faults: [{ path: "members", params: { circle: "a → b → c → a" } }] },
    ]);
    const nested = { db, a: group("b"), b: group("c"), c: group("d"), d: group("e"), e: group("db") };
    expect(await refused(nested)).toEqual([]);
    expect(await refused({ ...nested, top: group("a") })).toMatchObject([{ faults: [{ params: { max: 5 } }] }]);
    await apply(nested);
    // A group that the document no longer contains breaks the circle.
    const { c: _removed, ...others } = nested;
    expect(await refused({ ...others, b: group("d"), e: group("a") })).toHaveLength(1);
    expect(await refused({ ...others, b: group("db"), e: group("a") })).toEqual([]);
  });

  test("updates changed fields; removed fields return to their defaults", async () => {
    await apply({ shop: { ...shop, interval: 5, minDaysLeft: 20, headers: [{ name: "x-token", value: "one" }] } });
    await bed.monitors.updateMonitor({ id: (await named("shop")).id, patch: { note: "Ask Ada" } });
    const next = { shop: { ...shop, name: "Shop", headers: [{ name: "x-token", value: "two" }] } };
    const { of } = await plan(next);
    expect(of("shop")).toMatchObject({ outcome: "update" });
    expect(of("shop")!.changes!.toSorted((one, two) => one.path.localeCompare(two.path))).toEqual([
      {
        path: "headers",
        from: [{ name: "x-token", value: "••••••" }],
        to: [{ name: "x-token", value: "••••••" }],
      },
      { path: "interval", from: 5, to: 1 },
      { path: "minDaysLeft", from: 20 },
      { path: "name", from: "shop", to: "Shop" },
    ]);
    await apply(next);
    expect(await named("Shop")).toMatchObject({ interval: 1, note: "Ask Ada" });
    expect((await plan(next)).writes).toBe(0);
  });

  test("deletes monitors that it no longer contains, but no other source's or users' monitors", async () => {
    await bed.monitors.createMonitor({ monitor: inputOf({ name: "by hand", ...shop }) });
    await apply({ one: db }, "other");
    await apply({ db: { ...db, port: 1 }, shop: { ...shop, url: "https://two.example.com/" } });
    const { outcomes } = await plan({ db: { ...db, port: 1 } });
    expect(outcomes.map(({ key, outcome }) => [key, outcome])).toEqual([
      ["db", "same"],
      ["shop", "remove"],
    ]);
    await apply({ db: { ...db, port: 1 } });
    expect((await all()).map(({ name }) => name)).toEqual(["by hand", "db", "one"]);
  });

  test("reports the errors of each entry, including unknown references", async () => {
    const { of } = await plan(
      {
        forbidden: { url: "http://169.254.169.254/" },
        quick: { ...shop, interval: 0.1 },
        far: { ...shop, locations: ["mars"] },
        child: { ...shop, dependsOn: ["monitor:gone", "agent:web-1"] },
        own: { ...shop, dependsOn: ["monitor:own"] },
        fine: { ...db, dependsOn: ["agent:web-2"] },
      },
      "git",
      { "web-2": 7 },
    );
    expect(of("forbidden")!.faults).toEqual([{ path: "url", message: "This address cannot be monitored" }]);
    expect(of("quick")!.faults).toMatchObject([{ path: "interval" }]);
    expect(of("far")).toMatchObject({ isImpossible: true, faults: [{ path: "locations.0" }] });
    expect(of("child")).toMatchObject({ outcome: "fault", faults: [{ path: "dependsOn.0" }] });
    expect(of("own")!.faults).toMatchObject([{ message: "It cannot depend on itself" }]);
    expect(of("fine")!.outcome).toBe("create");
    await expect(apply({ fine: db, forbidden: { url: "http://169.254.169.254/" } })).rejects.toMatchObject({
      code: "invalid",
    });
    expect(await all()).toEqual([]);
  });
});

describe("ownership", () => {
  test("rejects changes by users to managed fields and allows all others", async () => {
    const ids = await apply({ shop: { ...shop, interval: 5, place: "sonde.yaml:3" } });
    const id = ids["shop"]!;
    await expect(bed.monitors.updateMonitor({ id, patch: { interval: 6, note: "x" } })).rejects.toMatchObject({
      ...conflict("interval is managed by git"),
      details: [{ path: "interval", params: { source: "git", place: "sonde.yaml:3" } }],
    });
    await expect(bed.monitors.deleteMonitor({ id })).rejects.toMatchObject(conflict("shop is managed by git"));
    // A form submits every field.
    await bed.monitors.updateMonitor({ id, patch: { ...shop, interval: 5, note: "x" } });
    const edited = await bed.monitors.bulkMonitors({ ids: [id], action: "edit", changes: { interval: 9 } });
    expect(edited.failed).toMatchObject([{ id, message: "{field} is managed by {source}" }]);
    const deleted = await bed.monitors.bulkMonitors({ ids: [id], action: "delete" });
    expect(deleted.failed).toMatchObject([{ id, message: "{name} is managed by {source}" }]);
    expect((await bed.monitors.bulkMonitors({ ids: [id], action: "edit", changes: { addTags: ["a"] } })).done).toEqual([
      id,
    ]);
    expect((await bed.monitors.pauseMonitor({ id })).paused).toBe(true);
  });

  test("includes the pause if the source specifies it", async () => {
    const ids = await apply({ shop: { ...shop, paused: true } });
    const id = ids["shop"]!;
    await expect(bed.monitors.resumeMonitor({ id })).rejects.toMatchObject(conflict("paused is managed by git"));
    expect((await bed.monitors.pauseMonitor({ id })).status).toBe("paused");
  });

  test("ends when one or all monitors are released", async () => {
    const ids = await apply({ shop, db });
    expect(await bed.monitors.release({ source: "git", kind: "monitor", key: "shop" })).toEqual({ released: 1 });
    await bed.monitors.deleteMonitor({ id: ids["shop"]! });
    await expect(bed.monitors.deleteMonitor({ id: ids["db"]! })).rejects.toMatchObject({ code: "conflict" });
    expect((await bed.monitors.countOwned({})).owned).toEqual([{ source: "git", kind: "monitor", count: 1 }]);
    await bed.monitors.release({ source: "git" });
    await bed.monitors.deleteMonitor({ id: ids["db"]! });
    expect((await bed.monitors.listSources({})).sources).toEqual([]);
  });

  test("of a key belongs to one source", async () => {
    await apply({ shop: { ...shop, place: "a.yaml:1" } }, "one");
    const { of } = await plan({ shop: { ...shop, place: "b.yaml:2" } }, "two");
    expect(of("shop")).toMatchObject({
      outcome: "conflict",
      place: "b.yaml:2",
      with: { source: "one", place: "a.yaml:1" },
      faults: [{ message: "{source} already has the key {key}" }],
    });
    await expect(apply({ shop }, "two")).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("an existing monitor", () => {
  test("with the same name and target is a conflict, or is adopted with its history if the entry allows that", async () => {
    const { id } = await bed.monitors.createMonitor({ monitor: inputOf({ name: "shop", ...shop, note: "Ask Ada" }) });
    expect((await plan({ shop })).of("shop")).toMatchObject({
      outcome: "conflict",
      faults: [{ params: { name: "shop" } }],
    });
    const adopting = { store: { ...shop, adopt: true, interval: 2 } };
    expect((await plan(adopting)).of("store")).toMatchObject({
      outcome: "update",
      id,
      changes: [{ path: "interval", from: 1, to: 2 }],
    });
    await apply(adopting);
    expect(await all()).toMatchObject([{ id, name: "shop", note: "Ask Ada", interval: 2, managed: { key: "store" } }]);
    const other = await plan({ mine: { ...shop, adopt: true } }, "other");
    expect(other.of("mine")).toMatchObject({ outcome: "conflict", with: { source: "git" } });
  });

  test("is reused unchanged without a source", async () => {
    const there = await bed.monitors.createMonitor({ monitor: inputOf({ name: "shop", ...shop }) });
    const entries = { shop: { ...shop, interval: 9 }, child: { ...db, dependsOn: ["monitor:shop"] } };
    expect((await plan(entries, null)).outcomes.map(({ outcome, id }) => [outcome, id])).toEqual([
      ["same", there.id],
      ["create", undefined],
    ]);
    await apply(entries, null);
    const [child, found] = await all();
    expect(child).toMatchObject({ name: "child", dependsOn: [{ type: "monitor", id: there.id }] });
    expect(found).toMatchObject({ interval: 1 });
    expect(child!.managed).toBeUndefined();
  });
});

test("an outdated generation is rejected, and the newest can be applied twice", async () => {
  await apply({ shop });
  const first = await bed.monitors.beginApply({ source: "git", monitors: 0 });
  const second = await bed.monitors.beginApply({ source: "git", monitors: 0 });
  expect(second.generation).toBe(first.generation + 1);
  const part = async (generation: number, entries: Entries) =>
    bed.monitors.applyMonitors({ source: "git", generation, lines: await linesOf(entries), ids: noIds });
  await expect(part(first.generation, {})).rejects.toMatchObject({
    code: "conflict",
    key: "Superseded by generation {generation}",
  });
  const renamed = { shop: { ...shop, name: "renamed" } };
  expect((await part(second.generation, renamed)).writes).toBeGreaterThan(0);
  expect((await part(second.generation, renamed)).writes).toBe(0);
  await bed.monitors.endApply({ source: "git", generation: first.generation, outcome: "late", by: "ada" });
  await bed.monitors.endApply({ source: "git", ...second, revision: "abc", outcome: "applied", by: "ada" });
  expect((await bed.monitors.listSources({})).sources).toMatchObject([
    { name: "git", generation: second.generation, revision: "abc", appliedBy: "ada", outcome: "applied" },
  ]);
});

test("a folder's problem is listed until it is applied, even if it never was", async () => {
  const listed = async () => (await bed.monitors.listSources({})).sources.map(({ name, problem }) => [name, problem]);
  await apply({ shop }, "git");
  await bed.monitors.noteSource({ source: "git", problem: "a.yaml:1: No" });
  await bed.monitors.noteSource({ source: "folder", problem: "There is no file" });
  await bed.monitors.noteSource({ source: "folder", problem: "Nothing can be read" });
  expect(await listed()).toEqual([
    ["folder", "Nothing can be read"],
    ["git", "a.yaml:1: No"],
  ]);
  const [never] = (await bed.monitors.listSources({})).sources;
  expect(never).toMatchObject({ generation: 0, outcome: "Not applied yet" });
  expect(Date.parse(never!.appliedAt)).toBeGreaterThan(0);
  expect((await bed.monitors.summary({})).sourceProblems).toEqual([
    { source: "folder", problem: "Nothing can be read" },
    { source: "git", problem: "a.yaml:1: No" },
  ]);
  for (const source of ["git", "folder", "unknown"]) await bed.monitors.noteSource({ source, problem: null });
  expect(await listed()).toEqual([["git", undefined]]);
  expect((await bed.monitors.summary({})).sourceProblems).toEqual([]);
});

test("a thousand monitors are planned and applied in one call", async () => {
  const entries = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`m${at}`, { url: `https://${at}.example.com/`, tags: ["prod"] }]),
  );
  expect((await plan(entries)).outcomes).toHaveLength(1_000);
  await apply(entries);
  expect((await plan(entries)).writes).toBe(0);
});

test.each([
  ["no Brotli", Buffer.from("plain").toString("base64")],
  ["invalid lines", null],
])("%s is refused", async (_what, given) => {
  const lines = given ?? (await zipLines([{ kind: "nothing" }]));
  await expect(
    bed.monitors.applyMonitors({ source: "git", generation: null, lines, ids: noIds }),
  ).rejects.toMatchObject({ code: "invalid" });
});
