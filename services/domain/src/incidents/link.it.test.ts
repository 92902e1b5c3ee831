import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { silentLog } from "@sonde/kit/service/log";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { endSnooze, snoozeIncident } from "./snooze.ts";
import { getIncident, incidentStore } from "./store.ts";
import { alertSourceMigration, incidentsMigration, snoozeMigration } from "./table.ts";

const targets = { type: "monitor", table: "things", idPrefix: "t", service: "monitors" } as const;
const thing = { id: 1, name: "shop" };
const things = "create table things (id int primary key, name text not null); insert into things values (1, 'shop')";

let db: Database;
beforeAll(async () => {
  const schema = `kit_${randomUUID().replace(/[^a-f]/g, "")}`;
  const migrations = {
    "000-outbox": outboxMigration,
    "001-things": { up: (trx: Database) => trx.raw(things) },
    "002-incidents": incidentsMigration("things"),
    "003-snooze": snoozeMigration,
    "004-alert-source": alertSourceMigration,
  };
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true });
});
afterAll(() => db.destroy());

async function openOne(metric: string): Promise<string> {
  const opened = await incidentStore(targets).open(db, thing, { kind: "threshold", metric }, "a cause", 50);
  return opened?.id ?? "";
}

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
