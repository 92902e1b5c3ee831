import { acknowledgeIncident } from "@sonde/domain/incidents/acknowledge";
import { silentLog } from "@sonde/kit/service/log";
import { openDatabase } from "@sonde/kit/postgres/database";
import { expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { uniqueSchema } from "../testing/service.ts";
import { down, incidents } from "./facts.ts";

test("an upgrade keeps all incidents, and an open one closes normally", async () => {
  const open = { url: inject("databaseUrl"), schema: uniqueSchema(), log: silentLog };
  const first = { "000-outbox": migrations["000-outbox"], "001-monitors": migrations["001-monitors"] };
  const before = await openDatabase({
    ...open,
    migrations: { ...first, "002-flapping": migrations["002-flapping"] },
  });
  await before.raw(`
    insert into monitors (name, url, method, interval_ms, timeout_ms, expected_status, headers, follow_redirects, verify_tls,
        retries, assertions, tags, locations, status, status_since_ms, revision, version, figures_version, created_at_ms, updated_at_ms)
      values ('shop', 'http://shop', 'GET', 60000, 10000, '200', '[]', true, true, 1, '[]', '{}', '{}', 'down', 5, 1, 1, 1, 1, 1);
    insert into incidents (monitor_id, kind, cause, opened_at_ms, closed_at_ms, resolution, flaps)
      values (1, 'down', 'Status 503', 10, 20, 'recovered', 2), (1, 'down', 'Status 500', 30, null, null, 0);
    update monitors set stale_since_ms = 35`);
  await before.destroy();
  const db = await openDatabase({ ...open, migrations });
  expect(await db("incidents").orderBy("id")).toMatchObject([
    { id: 1, target_id: 1, metric: "", cause: "Status 503", opened_at_ms: 10, closed_at_ms: 20, flaps: 2 },
    { id: 2, target_id: 1, metric: "", cause: "Status 500", opened_at_ms: 30, closed_at_ms: null },
  ]);
  const { incident } = await acknowledgeIncident(db, incidents.targets, { id: "m1", note: "seen", by: "ada" }, 35);
  expect(incident).toMatchObject({ id: "m1", note: "seen", closedAt: new Date(20).toISOString() });
  // Its silence is reported again, which opens the missing incident.
  const [row] = await db("monitors");
  expect(row).toMatchObject({ stale_since_ms: null, depends_on: [], note: "" });
  const closed = await incidents.close(db, { id: 1, name: "shop" }, down, "recovered", 40);
  expect(closed).toMatchObject([{ id: "m2", targetName: "shop", closedAtMs: 40 }]);
  await db.destroy();
});
