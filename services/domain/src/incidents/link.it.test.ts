import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@sonde/kit/postgres/database";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { openIncident, openIncidents, targets } from "./incidents.testing.ts";
import { endSnooze, snoozeIncident } from "./snooze.ts";
import { getIncident } from "./store.ts";

let db: Database;
beforeAll(async () => void (db = await openIncidents()));
afterAll(() => db.destroy());

const openOne = (metric: string) => openIncident(db, metric);
const [link, minuteMs] = [{ by: "Ops", isByLink: true }, 60_000];
const refused = { code: "impossible", key: "This can no longer be undone" };
const acknowledge = (id: string, atMs: number, by = link.by) =>
  acknowledgeIncident(db, targets, { id, ...link, by }, atMs);
const undo = async (id: string, atMs: number, by = link.by) =>
  (await unacknowledgeIncident(db, targets, { id, ...link, by }, atMs)).incident;

test("a link's acknowledgement can be undone for a minute, by the one who gave it", async () => {
  const id = await openOne("undone");
  await acknowledge(id, 100);
  await expect(undo(id, 200, "Ada (Ops)")).rejects.toMatchObject(refused);
  expect(await undo(id, 100 + minuteMs)).not.toHaveProperty("acknowledgedAt");
  await acknowledge(id, 200_000);
  await expect(undo(id, 200_000 + 2 * minuteMs)).rejects.toMatchObject(refused);
  expect((await getIncident(db, targets, { id }, 400_000)).incident).toMatchObject({ acknowledgedBy: "Ops" });
});

test("a user's acknowledgement cannot be undone by a link", async () => {
  const id = await openOne("kept");
  await acknowledgeIncident(db, targets, { id, by: "ada" }, 100);
  await expect(undo(id, 200)).rejects.toMatchObject(refused);
});

test("a link changes an incident back three times at most", async () => {
  const id = await openOne("changed back");
  for (const atMs of [100, 200, 300, 400]) {
    await acknowledge(id, atMs, `${atMs} (Ops)`);
    if (atMs < 400) await undo(id, atMs + 1, `${atMs} (Ops)`);
  }
  await expect(undo(id, 401, "400 (Ops)")).rejects.toMatchObject(refused);
  await unacknowledgeIncident(db, targets, { id, by: "ada" }, 500);
});

test("a link's snooze can be undone for a minute, a user's never", async () => {
  const [id, atMs] = [await openOne("snooze undone"), 1_790_000_000_000];
  const end = (at: number) => endSnooze(db, targets, { id, ...link }, at);
  await snoozeIncident(db, targets, { id, ...link, minutes: 60 }, atMs);
  expect((await end(atMs + minuteMs)).incident).not.toHaveProperty("snoozedUntil");
  await snoozeIncident(db, targets, { id, ...link, minutes: 60 }, atMs);
  await expect(end(atMs + 2 * minuteMs)).rejects.toMatchObject(refused);
  await snoozeIncident(db, targets, { id, by: "ada", minutes: 90 }, atMs);
  await expect(end(atMs + 1)).rejects.toMatchObject(refused);
});
