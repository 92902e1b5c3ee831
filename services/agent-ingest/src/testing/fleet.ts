import { systemClock } from "@sonde/kit/time/clock";
import { silentLog } from "@sonde/kit/service/log";
import { openDatabase } from "@sonde/kit/postgres/database";
import { migrations } from "../../migrations/index.ts";
import { newSecret, secretHash } from "../keys/store.ts";

const atOnce = 1_000;

/**
 * Writes online agents and their keys into an empty database. The service publishes them when it starts, as after a
 * bus lost its data.
 * @returns ids with the keys that only agents know
 */
export async function writeFleet(
  databaseUrl: string,
  count: number,
  intervalMs: number,
): Promise<{ id: number; key: string }[]> {
  const db = await openDatabase({ url: databaseUrl, schema: "agent_ingest", migrations, log: silentLog });
  const nowMs = systemClock.now();
  const fleet: { id: number; key: string }[] = [];
  while (fleet.length < count) {
    const rows = Array.from({ length: Math.min(atOnce, count - fleet.length) }, (_, index) => ({
      name: `host-${fleet.length + index + 1}`,
      hostname: `host-${fleet.length + index + 1}`,
      ip_addresses: ["192.0.2.7"],
      os: "Debian 12",
      version: "0.1.0",
      interval_ms: intervalMs,
      status: "online",
      status_since_ms: nowMs,
      revision: db.raw("nextval('revisions')"),
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    }));
    const written = await db("agents").insert(rows).returning<{ id: number }[]>("id");
    const agents = written.map(({ id }) => ({ id, key: newSecret() }));
    await db("keys").insert(
      agents.map(({ id, key }) => ({
        hash: secretHash(key),
        agent_id: id,
        revision: db.raw("nextval('revisions')"),
        created_at_ms: nowMs,
      })),
    );
    fleet.push(...agents);
  }
  await db.destroy();
  return fleet;
}

/** Makes all agents offline with an open incident, as after a long network outage. */
export async function silenceFleet(databaseUrl: string): Promise<void> {
  const db = await openDatabase({ url: databaseUrl, schema: "agent_ingest", migrations, log: silentLog });
  await db("agents").update({ status: "offline" });
  await db.raw(
    `insert into incidents (target_id, kind, cause, opened_at_ms)
     select id, 'offline', 'No report for 45 s', status_since_ms from agents on conflict do nothing`,
  );
  await db.destroy();
}

/** `unsent`: messages in the outbox. */
export async function countFleet(databaseUrl: string): Promise<{ online: number; open: number; unsent: number }> {
  const db = await openDatabase({ url: databaseUrl, schema: "agent_ingest", migrations, log: silentLog, poolSize: 1 });
  try {
    const { rows } = await db.raw<{ rows: [{ online: number; open: number; unsent: number }] }>(
      `select (select count(*) from agents where status = 'online') as online,
              (select count(*) from incidents where closed_at_ms is null) as open,
              (select count(*) from outbox) as unsent`,
    );
    return rows[0];
  } finally {
    await db.destroy();
  }
}
