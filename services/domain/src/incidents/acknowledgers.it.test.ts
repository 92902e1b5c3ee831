import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { listEvents } from "@sonde/kit/testing/events";
import { silentLog } from "@sonde/kit/service/log";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
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

const acknowledge = async (id: string, by: string, note = "", atMs = 100) =>
  (await acknowledgeIncident(db, targets, { id, by, note }, atMs)).incident;
const published = async (id: string) =>
  (await listEvents(db, 0, 1_000))
    .flatMap(({ fact }) => (fact.case === "incident" && fact.value.incident?.id === id ? [fact.value] : []))
    .toSorted((one, other) => one.incident!.revision - other.incident!.revision);

test("an incident can be acknowledged by others too, once each, until it is unacknowledged", async () => {
  const id = await openOne("others");
  const first = await acknowledge(id, "ada");
  expect(await acknowledge(id, "bob", "", 200)).toEqual(first);
  expect(await acknowledge(id, "bob", "", 300)).toEqual(first);
  expect(await acknowledge(id, "cyd", "mine", 400)).toMatchObject({ acknowledgedBy: "cyd" });
  await unacknowledgeIncident(db, targets, { id, by: "ada" }, 500);
  await acknowledge(id, "bob", "", 600);
  const names = (await published(id)).map(({ incident }) => incident?.acknowledgers.toSorted());
  expect(names).toEqual([["ada"], ["ada", "bob"], ["ada", "bob", "cyd"], [], ["bob"]]);
  const { actions } = await getIncident(db, targets, { id }, 1_000);
  expect(actions.map(({ type, by }) => `${type} ${by}`)).toEqual([
    "acknowledged bob",
    "acknowledged ada",
    "acknowledged cyd",
    "unacknowledged ada",
  ]);
});

test("an incident is acknowledged by at most five, however many names a link is used with", async () => {
  const id = await openOne("names");
  for (let name = 0; name < 9; name += 1) {
    await acknowledgeIncident(db, targets, { id, by: `Ops ${name}`, isByLink: true }, 100);
  }
  expect((await published(id)).at(-1)?.incident?.acknowledgers).toHaveLength(5);
  expect(await published(id)).toHaveLength(5);
});
