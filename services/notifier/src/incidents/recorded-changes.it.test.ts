import { asUser, takeEntries } from "@sonde/domain/testing/audit";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { factsOf, insertAlert } from "../testing/rows.ts";
import { changesFor, createChange, pruneChanges } from "./recorded-changes.ts";

const clock = fakeClock(Date.UTC(2026, 0, 31, 12));
let ctx: Context;
beforeEach(async () => void (ctx = await openTestContext(clock)));
afterEach(() => ctx.db.destroy());
const iso = (beforeMs = 0) => new Date(clock.now() - beforeMs).toISOString();
const minute = 60_000;

test("records who made a change and when, and audits it", async () => {
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
  expect((await takeEntries(ctx.db)).map(({ what, by }) => `${what} ${by}`)).toEqual([
    `create change:${change.id} Deploy 7 ada`,
    `create change:${before.id} Switch 3 ada`,
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
  await insertAlert(ctx.db, factsOf({ monitor: 5 }));
  const found = async (facts: object, id = "m5") => {
    await ctx
      .db("incidents")
      .where({ id: "m5" })
      .update({ facts: JSON.stringify(facts) });
    return (await changesFor(ctx.db, id, clock.now() - 60 * minute, clock.now())).map(({ title }) => title);
  };
  expect(await found({})).toEqual(["all"]);
  expect(await found({ tags: ["shop", "web"] })).toEqual(["all", "shop"]);
  expect(await found({ tags: ["blog"] })).toEqual(["all", "other"]);
  expect(await found({ tags: ["blog"] }, "m6")).toEqual(["all"]);
});

test("keeps 10,000 changes and 90 days", async () => {
  await ctx.db.raw(
    `insert into changes (title, tags, at_ms, created_by)
     select 'n' || n, '[]', ?::bigint + n, 'ci' from generate_series(1, 10000) as n`,
    [clock.now() - 100 * 24 * 60 * minute],
  );
  await createChange(ctx, { title: "newest" });
  const stored = () => ctx.db("changes").orderBy("at_ms").select<{ title: string }[]>("title");
  expect(await stored()).toHaveLength(10_000);
  expect((await stored())[0]).toEqual({ title: "n2" });
  expect(await pruneChanges(ctx.db, clock.now())).toBe(9_999);
  expect(await stored()).toEqual([{ title: "newest" }]);
});
