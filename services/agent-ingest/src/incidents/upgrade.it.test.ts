import { acknowledgeIncident } from "@sonde/domain/incidents/acknowledge";
import { silentLog } from "@sonde/kit/service/log";
import { openDatabase } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { migrations } from "../../migrations/index.ts";
import { findAgent } from "../agents/store.ts";
import { incidents, offline, threshold } from "./store.ts";

test("an upgrade keeps all incidents, and open ones close normally", async () => {
  const schema = `agents_${randomUUID().replace(/[^a-f]/g, "")}`;
  const open = { url: inject("databaseUrl"), schema, log: silentLog };
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "005"));
  const before = await openDatabase({ ...open, migrations: earlier });
  await before.raw(`
    insert into agents (name, hostname, ip_addresses, os, version, interval_ms, status, status_since_ms, revision,
        created_at_ms, updated_at_ms) values ('web-1', 'h', '{}', '', '', 10000, 'offline', 5, 1, 1, 1);
    insert into incidents (agent_id, kind, metric, cause, opened_at_ms, closed_at_ms, resolution, flaps) values
      (1, 'threshold', 'cpu', 'CPU at 99 %', 10, 20, 'recovered', 2), (1, 'offline', '', 'No sample came', 30, null, null, 0),
      (1, 'threshold', 'disk:/', 'Disk / at 99 %', 40, null, null, 1)`);
  await before.destroy();
  const db = await openDatabase({ ...open, migrations, camelCase: true });
  expect(await db("incidents").orderBy("id")).toMatchObject([
    { id: 1, targetId: 1, metric: "cpu", closedAtMs: 20, resolution: "recovered", flaps: 2 },
    { id: 2, targetId: 1, kind: "offline", metric: "", closedAtMs: null },
    { id: 3, targetId: 1, metric: "disk:/", flaps: 1 },
  ]);
  const { incident } = await acknowledgeIncident(db, incidents.targets, { id: "a3", note: "seen", by: "ada" }, 45);
  expect(incident).toMatchObject({ id: "a3", note: "seen", acknowledgedAt: new Date(45).toISOString() });
  expect((await findAgent(db, 1)).dependsOn).toEqual([]);
  const agent = { id: 1, name: "web-1" };
  expect(await incidents.close(db, agent, offline, "recovered", 50)).toMatchObject([{ id: "a2", closedAtMs: 50 }]);
  expect(await incidents.close(db, agent, threshold("disk:/"), "recovered", 50)).toMatchObject([{ id: "a3" }]);
  await db.destroy();
});
