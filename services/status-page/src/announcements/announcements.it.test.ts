import type { AppError } from "@sonde/kit/errors";
import { parseInput } from "@sonde/kit/bus/rpc";
import type { AnnouncementInput } from "@sonde/proto/http/status/announcements";
import { statusContract } from "@sonde/proto/rpc/status";
import type { z } from "zod";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAnnouncing } from "../testing/announcing.ts";
import { endpoints } from "../endpoints.ts";
import {
  addUpdate,
  createAnnouncement,
  getAnnouncement,
  removeAnnouncement,
  updateAnnouncement,
  maxOpen,
  maxTextBytes,
  maxUpdates,
} from "./announcements.ts";
import { listAnnouncements, pruneAnnouncements } from "./store.ts";

let bed: Awaited<ReturnType<typeof openAnnouncing>>;
beforeAll(async () => void (bed = await openAnnouncing()));
afterAll(() => bed.ctx.db.destroy());
beforeEach(async () => {
  await bed.ctx.db("announcements").delete();
  bed.unavailableServices.clear();
  bed.requests.length = 0;
  bed.incidents["monitors"] = [{ id: "m5", targetId: 1, kind: "down", openedAtMs: 1 }];
});

const { methods } = statusContract;
const announce = async (fields: { [Name in keyof AnnouncementInput]?: unknown } = {}) => {
  const input = { title: "Payments are slow", impact: "minor", ...fields };
  return createAnnouncement(bed.ctx, parseInput(methods.createAnnouncement.input, input));
};
const change = async (id: number, fields: Omit<z.input<typeof methods.updateAnnouncement.input>, "id">) =>
  updateAnnouncement(bed.ctx, parseInput(methods.updateAnnouncement.input, { id, ...fields }));
const post = async (id: number, state: string, text = "News") =>
  addUpdate(bed.ctx, parseInput(methods.addAnnouncementUpdate.input, { id, state, text }));
const list = async (query: z.input<typeof methods.listAnnouncements.input> = {}) =>
  listAnnouncements(bed.ctx, parseInput(methods.listAnnouncements.input, query));
const titles = async (query?: Parameters<typeof list>[0]) =>
  (await list(query)).announcements.map(({ title }) => title);
const now = () => new Date(bed.clock.now()).toISOString();
const refusalOf = (verb: Promise<unknown>) =>
  verb.then(
    () => null,
    ({ code, key, details }: AppError) => [code, details.length > 0 ? details.map(({ path }) => path) : key],
  );

describe("an announcement", () => {
  test("is created once per Idempotency-Key, and the page is rendered after the commit", async () => {
    const idempotency = { id: "key", request: "a", sealKey: "k".repeat(43) };
    const actor = { id: 1, username: "bob", role: "user" as const };
    const call = { requestId: "r", timeoutMs: 1000, signal: new AbortController().signal, idempotency, actor };
    const input = { title: "Once", impact: "minor", text: "News" };
    const request = parseInput(methods.createAnnouncement.input, input);
    const { createAnnouncement: made } = endpoints(bed.ctx, {
      preview: async () => Buffer.alloc(0),
      published: async () => {},
    });
    const [before, mails] = [bed.changes(), bed.mailsDue()];
    const [first, again] = await Promise.all([made(request, call), made(request, call)]);
    expect(again.id).toBe(first.id);
    expect(await titles()).toEqual(["Once"]);
    expect([bed.changes() - before, bed.mailsDue() - mails]).toEqual([1, 1]);
  });

  test("is created with its first update, and the page is notified", async () => {
    const before = bed.changes();
    const made = await announce({
      monitors: [1, 1],
      agents: [2],
      incidentId: "m5",
      state: "identified",
      text: "A **disk** is full",
    });
    expect(made).toMatchObject({
      title: "Payments are slow",
      impact: "minor",
      monitors: [1],
      agents: [2],
      incidentId: "m5",
      state: "identified",
      createdAt: now(),
      updates: [{ state: "identified", text: "A **disk** is full", at: now() }],
    });
    expect([made.postMortem, made.resolvedAt]).toEqual([undefined, undefined]);
    expect(await getAnnouncement(bed.ctx, made.id)).toEqual(made);
    expect(bed.changes()).toBe(before + 1);
  });

  test("without a text starts without an update, as being investigated", async () => {
    expect(await announce({ text: " \n" })).toMatchObject({ state: "investigating", updates: [] });
  });

  test("that is created as resolved is resolved at once", async () => {
    expect((await announce({ state: "resolved", text: "It is over" })).resolvedAt).toBe(now());
  });

  test("refers to existing targets: missing ones are rejected with their path", async () => {
    const targets = { monitors: [1, 9, 3], agents: [8, 1] };
    const refused = ["impossible", ["monitors.1", "agents.0", "incidentId"]];
    expect(await refusalOf(announce({ ...targets, incidentId: "m6" }))).toEqual(refused);
    const announcement = await announce();
    expect(await refusalOf(change(announcement.id, { ...targets, incidentId: "m6" }))).toEqual(refused);
    expect(await titles()).toEqual(["Payments are slow"]);
  });

  test("checks its incident with the producer", async () => {
    await refusalOf(announce({ incidentId: "a5" }));
    expect(bed.requests).toEqual([{ incident: "a5", scope: "agents" }]);
  });

  test("without targets can be created while every other service is unavailable", async () => {
    for (const service of ["monitors", "agents"]) bed.unavailableServices.add(service);
    expect(await refusalOf(announce())).toBeNull();
    expect(await refusalOf(announce({ monitors: [1] }))).toMatchObject(["unavailable", {}]);
  });

  test.each([
    ["without a title", { title: " " }, "title"],
    ["with an unknown impact", { impact: "huge" }, "impact"],
    ["with an unknown state", { state: "over" }, "state"],
    ["with a text that is too long", { text: "x".repeat(10_001) }, "text"],
    ["about an invalid incident id", { incidentId: "p1" }, "incidentId"],
  ])("%s is rejected", async (_what, fields, path) => {
    expect(await refusalOf(announce(fields))).toEqual(["invalid", [path]]);
  });
});

describe("a change", () => {
  test("affects the given fields only", async () => {
    const before = await announce({ monitors: [1], incidentId: "m5", text: "Looking" });
    bed.clock.advance(1000);
    const changed = await change(before.id, { title: "Payments are down", postMortem: "# Why" });
    expect(changed).toEqual({ ...before, title: "Payments are down", postMortem: "# Why", updatedAt: now() });
    const cleared = await change(before.id, { incidentId: null, postMortem: "", monitors: [] });
    expect([cleared.incidentId, cleared.postMortem, cleared.monitors]).toEqual([undefined, undefined, []]);
  });

  test("may contain targets that were deleted in the meantime", async () => {
    const targets = { monitors: [3], agents: [2] };
    const announcement = await announce({ ...targets, incidentId: "m5" });
    bed.there.monitors = [1, 2];
    bed.incidents["monitors"] = [];
    expect(await refusalOf(change(announcement.id, { ...targets, incidentId: "m5" }))).toBeNull();
    bed.there.monitors = [1, 2, 3];
  });

  test("of a missing announcement is rejected", async () => {
    const refused = ["not_found", "Announcement does not exist"];
    expect(await refusalOf(change(999, {}))).toEqual(refused);
    expect(await refusalOf(post(999, "monitoring"))).toEqual(refused);
    expect(await refusalOf(getAnnouncement(bed.ctx, 999))).toEqual(refused);
    expect(await refusalOf(removeAnnouncement(bed.ctx, 999))).toEqual(refused);
  });
});

describe("an update", () => {
  test("sets the announcement's state: resolved closes it, any other reopens it", async () => {
    const announcement = await announce({ text: "Looking" });
    bed.clock.advance(1000);
    const resolvedAt = now();
    const resolved = await post(announcement.id, "resolved", "Over");
    expect(resolved).toMatchObject({
      state: "resolved",
      resolvedAt,
      updates: [{ text: "Looking" }, { text: "Over", state: "resolved", at: resolvedAt }],
    });
    bed.clock.advance(1000);
    expect((await post(announcement.id, "resolved", "Really")).resolvedAt).toBe(resolvedAt);
    const again = await post(announcement.id, "monitoring", "Not quite");
    expect([again.state, again.resolvedAt]).toEqual(["monitoring", undefined]);
    expect(again.updates.map(({ text }) => text)).toEqual(["Looking", "Over", "Really", "Not quite"]);
  });

  test("is not lost if two are added concurrently, and the last one's state counts", async () => {
    const announcement = await announce();
    await Promise.all([post(announcement.id, "resolved", "a"), post(announcement.id, "monitoring", "b")]);
    const { state, resolvedAt, updates } = await getAnnouncement(bed.ctx, announcement.id);
    expect(updates).toHaveLength(2);
    expect(state).toBe(updates.at(-1)?.state);
    expect(resolvedAt === undefined).toBe(state !== "resolved");
  });

  test("needs a state and a text", async () => {
    const announcement = await announce();
    expect(await refusalOf(post(announcement.id, "over"))).toEqual(["invalid", ["state"]]);
    expect(await refusalOf(post(announcement.id, "resolved", " "))).toEqual(["invalid", ["text"]]);
  });

  test("is limited in number and total size", async () => {
    const announcement = await announce();
    const rows = (count: number, text: string) =>
      bed.ctx.db("announcement_updates").insert(
        Array.from({ length: count }, () => ({
          announcement_id: announcement.id,
          state: "monitoring",
          text,
          at_ms: 1,
        })),
      );
    await rows(maxUpdates - 1, "x");
    expect(await refusalOf(post(announcement.id, "monitoring"))).toBeNull();
    const tooMany = ["impossible", "An announcement can have at most {max} updates"];
    expect(await refusalOf(post(announcement.id, "monitoring"))).toEqual(tooMany);
    await bed.ctx.db("announcement_updates").delete();
    await rows(1, "x".repeat(maxTextBytes - 8));
    const tooLong = ["impossible", "The updates of this announcement are too long in total (maximum {max} bytes)"];
    expect(await refusalOf(post(announcement.id, "monitoring", "好".repeat(3)))).toEqual(tooLong);
    expect(await refusalOf(post(announcement.id, "monitoring", "x".repeat(8)))).toBeNull();
  });
});

describe("subscribers", () => {
  const told = (id: number) =>
    bed.ctx
      .db("mailings")
      .where({ about: `announcement:${id}` })
      .orderBy("id")
      .pluck("subject_key");

  test("are notified of each update, including the first", async () => {
    const announcement = await announce({ text: "Looking" });
    const before = bed.mailsDue();
    const { updates: after } = await post(announcement.id, "resolved", "Over");
    expect(await told(announcement.id)).toEqual([`update:${announcement.updates[0]?.id}`, `update:${after[1]?.id}`]);
    expect(bed.mailsDue()).toBe(before + 1);
  });

  test("are not notified of anything rejected or deleted", async () => {
    const announcement = await announce({ text: "Looking" });
    await bed.ctx.db("announcement_updates").update({ text: "x".repeat(maxTextBytes) });
    await refusalOf(post(announcement.id, "monitoring"));
    expect(await told(announcement.id)).toHaveLength(1);
    await removeAnnouncement(bed.ctx, announcement.id);
    expect(await told(announcement.id)).toEqual([]);
  });
});

test("limits open announcements, also for concurrent requests", async () => {
  const row = { title: "x", impact: "minor", monitor_ids: [], agent_ids: [], created_at_ms: 1, updated_at_ms: 1 };
  const rows = Array.from({ length: maxOpen - 2 }, () => ({ ...row, state: "investigating" }));
  await bed.ctx.db("announcements").insert(rows);
  const over = await announce({ state: "resolved" });
  // Opens connections in advance, so all requests start together.
  await Promise.all(Array.from({ length: 6 }, () => bed.ctx.db.raw("select pg_sleep(0.05)")));
  const made = await Promise.all(Array.from({ length: 5 }, () => refusalOf(announce())));
  const refused = ["impossible", "The limit of {max} open announcements has been reached: resolve one first"];
  expect(made.filter((one) => one === null)).toHaveLength(2);
  expect(made.filter((one) => one !== null)).toEqual([refused, refused, refused]);
  expect(await refusalOf(announce({ state: "resolved" }))).toBeNull();
  expect(await refusalOf(post(over.id, "monitoring"))).toEqual(refused);
  expect(await refusalOf(post(over.id, "resolved"))).toBeNull();
});

test("limits announcements to a hundred a day, including resolved ones", async () => {
  const nowMs = bed.clock.now();
  const row = { title: "x", impact: "minor", monitor_ids: [], agent_ids: [], state: "resolved", resolved_at_ms: nowMs };
  const rows = Array.from({ length: 99 }, () => ({ ...row, created_at_ms: nowMs, updated_at_ms: nowMs }));
  await bed.ctx.db("announcements").insert(rows);
  await announce({ state: "resolved" });
  await expect(announce({ state: "resolved" })).rejects.toMatchObject({ code: "too_many", retryAfterSeconds: 86_400 });
  bed.clock.advance(24 * 3_600_000);
  expect(await refusalOf(announce({ state: "resolved" }))).toBeNull();
});

describe("the list", () => {
  test("has open ones first, then newest, with their updates", async () => {
    for (const [title, state] of [
      ["old open", "monitoring"],
      ["old over", "resolved"],
      ["new open", "investigating"],
      ["new over", "resolved"],
    ]) {
      bed.clock.advance(1000);
      await announce({ title, state, text: `of ${title}` });
    }
    expect(await titles()).toEqual(["new open", "old open", "new over", "old over"]);
    expect(await titles({ open: "true" })).toEqual(["new open", "old open"]);
    expect(await titles({ open: "false", pageSize: 1, page: 2 })).toEqual(["old over"]);
    const { announcements, total } = await list({ open: "false", pageSize: 1 });
    expect(total).toBe(2);
    expect(announcements[0]?.updates).toMatchObject([{ text: "of new over" }]);
  });

  test("can be filtered by incident", async () => {
    await announce({ title: "about it", incidentId: "m5" });
    await announce({ title: "about nothing" });
    expect(await titles({ incidentId: "m5" })).toEqual(["about it"]);
    expect(await titles({ incidentId: "m6" })).toEqual([]);
  });

  test("is cut to what fits into a message, and lists the ids of the rest", async () => {
    const ids: number[] = [];
    for (let at = 0; at < 3; at += 1) ids.unshift((await announce({ title: `${at}` })).id);
    await bed.ctx.db("announcements").update({ post_mortem: "x".repeat(300_000) });
    const first = await list();
    expect([first.announcements.map(({ id }) => id), first.restIds, first.total]).toEqual([
      ids.slice(0, 1),
      ids.slice(1),
      3,
    ]);
    const second = await list({ ids: first.restIds.toReversed(), pageSize: 2 });
    expect([second.announcements.map(({ id }) => id), second.restIds]).toEqual([ids.slice(2), ids.slice(1, 2)]);
  });
});

test("deleting an announcement deletes its updates, and notifies the page", async () => {
  const announcement = await announce({ text: "Looking" });
  const before = bed.changes();
  await removeAnnouncement(bed.ctx, announcement.id);
  expect(await titles()).toEqual([]);
  expect(await bed.ctx.db("announcement_updates").where({ announcement_id: announcement.id })).toEqual([]);
  expect(bed.changes()).toBe(before + 1);
});

test("retention deletes announcements resolved before an instant, and no open one", async () => {
  await announce({ title: "old open" });
  await announce({ title: "old over", state: "resolved" });
  bed.clock.advance(1000);
  const nowMs = bed.clock.now();
  await announce({ title: "new over", state: "resolved" });
  expect(await pruneAnnouncements(bed.ctx.db, nowMs)).toBe(1);
  expect(await titles()).toEqual(["old open", "new over"]);
});
