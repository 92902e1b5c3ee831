import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { outboxMigration } from "@sonde/kit/postgres/outbox";
import { silentLog } from "@sonde/kit/service/log";
import { incidentStore } from "./store.ts";
import { alertSourceMigration, incidentsMigration, lastClosedMigration, snoozeMigration } from "./table.ts";

export const targets = { type: "monitor", table: "things", idPrefix: "t", service: "monitors" } as const;
const things = "create table things (id int primary key, name text not null); insert into things values (1, 'shop')";

/** Opens a database of incidents. @param before SQL that creates their targets @param rows SQL that adds incidents */
export function openIncidents({ before = things, rows = "" } = {}): Promise<Database> {
  const schema = `kit_${randomUUID().replace(/[^a-f]/g, "")}`;
  const migrations = {
    "000-outbox": outboxMigration,
    "001-things": { up: (trx: Database) => trx.raw(before) },
    "002-incidents": incidentsMigration("things"),
    ...(rows !== "" && { "003-rows": { up: (trx: Database) => trx.raw(rows) } }),
    "004-last-closed": lastClosedMigration,
    "005-snooze": snoozeMigration,
    "006-alert-source": alertSourceMigration,
  };
  return openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true });
}

/** Opens an incident of the shop. */
export async function openIncident(db: Database, metric: string): Promise<string> {
  const thing = { id: 1, name: "shop" };
  const opened = await incidentStore(targets).open(db, thing, { kind: "threshold", metric }, "a cause", 50);
  return opened?.id ?? "";
}
