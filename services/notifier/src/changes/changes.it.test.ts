import { asUser, takeEntries } from "@sonde/domain/testing/audit";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { changesBefore } from "../incidents/story.ts";
import { openTestContext } from "../testing/context.ts";
import { factsOf, insertAlert } from "../testing/rows.ts";
import { createChange, deleteChange } from "./changes.ts";
import { changesFor, pruneChanges, selectChanges } from "./store.ts";

const clock = fakeClock(Date.UTC(2026, 0, 31, 12));
let ctx: Context;
beforeEach(async () => void (ctx = await openTestContext(clock)));
afterEach(() => ctx.db.destroy());
const iso = (beforeMs = 0) => new Date(clock.now() - beforeMs).toISOString();
const minute = 60_000;
const list = (query: Partial<Parameters<typeof selectChanges>[1]> = {}) =>
  selectChanges(ctx.db, { page: 1, pageSize: 50, ...query });

test("records who made a change and when, lists the newest first, and deletes one; all of it is audited", async () => {
  const change = await asUser(() =>
    createChange(ctx, { title: "Deploy 7", link: "https://ci.test/7", tags: ["shop"] }),
  );
  expect(change).toEqual({
    id: change.id,
    title: "Deploy 7",
    link: "https://ci.test/7",
    tags: ["shop"],
    at: iso(),
    createdBy: "ada",
  });
  const before = await asUser(() => createChange(ctx, { title: "Switch 3", at: iso(10 * minute) }));
  expect(before).toMatchObject({ tags: [], at: iso(10 * minute) });
  expect(before).not.toHaveProperty("link", expect.anything());
  const titlesOf = async (...asked: Parameters<typeof list>) =>
    (await list(...asked)).changes.map(({ title }) => title);
  expect(await titlesOf()).toEqual(["Deploy 7", "Switch 3"]);
  expect(await titlesOf({ sort: "at" })).toEqual(["Switch 3", "Deploy 7"]);
  expect(await titlesOf({ search: "SWITCH" })).toEqual(["Switch 3"]);
  expect(await list({ pageSize: 1, page: 2 })).toMatchObject({ changes: [{ title: "Switch 3" }], total: 2 });

  await asUser(() => deleteChange(ctx, { id: change.id }));
  await expect(asUser(() => deleteChange(ctx, { id: change.id }))).rejects.toMatchObject({ code: "not_found" });
  expect(await titlesOf()).toEqual(["Switch 3"]);
  expect((await takeEntries(ctx.db)).map(({ what, by }) => `${what} ${by}`)).toEqual([
    `create change:${change.id} Deploy 7 ada`,
    `create change:${before.id} Switch 3 ada`,
    `delete change:${change.id} Deploy 7 ada`,
  ]);
});

test("belongs to an incident without tags, or with one of the monitor's", async () => {
  for (const [title, tags, agoMs] of [
    ["all", [], 1],
    ["shop", ["eu", "shop"], 2],
    ["other", ["blog"], 3],
    ["old", [], 61 * minute],
  ] as const)
    await createChange(ctx, { title, tags: [...tags], at: iso(agoMs) });
  const found = async (tags: string[]) =>
    (await changesFor(ctx.db, tags, clock.now() - 60 * minute, clock.now())).map(({ title }) => title);
  expect(await found([])).toEqual(["all"]);
  expect(await found(["shop", "web"])).toEqual(["all", "shop"]);
  await insertAlert(ctx.db, factsOf({ monitor: 5, tags: ["blog"] }));
  const before = (id: string) => changesBefore(ctx.db, id, clock.now() - 60 * minute, clock.now());
  await ctx
    .db("incidents")
    .where({ id: "m5" })
    .update({ facts: JSON.stringify({ tags: ["blog"] }) });
  expect((await before("m5")).map(({ title }) => title)).toEqual(["all", "other"]);
  expect((await before("m6")).map(({ title }) => title)).toEqual(["all"]);
});

test("keeps 10,000 changes and 90 days", async () => {
  await ctx.db.raw(
    `insert into changes (title, tags, at_ms, created_by)
     select 'n' || n, '[]', ?::bigint + n, 'ci' from generate_series(1, 10000) as n`,
    [clock.now() - 100 * 24 * 60 * minute],
  );
  await createChange(ctx, { title: "newest" });
  expect((await list({ sort: "at", pageSize: 1 })).changes).toMatchObject([{ title: "n2" }]);
  expect((await list()).total).toBe(10_000);
  expect(await pruneChanges(ctx.db, clock.now())).toBe(9_999);
  expect((await list()).changes).toMatchObject([{ title: "newest" }]);
});
