import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { addDeliveries, type NewDelivery } from "../deliveries/add.ts";
import { migrations } from "../../migrations/index.ts";
import type { AlertFacts } from "../alerts/incident.ts";

export const uniqueSchema = () => `notifier_${randomUUID().replace(/[^a-f]/g, "")}`;

export const openTables = (schema = uniqueSchema(), poolSize = 8): Promise<Database> =>
  openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, poolSize, camelCase: true });

export async function insertChannel(db: Database, channel: Record<string, unknown> = {}): Promise<number> {
  const row = {
    name: "ops",
    type: "ntfy",
    enabled: true,
    config: JSON.stringify({ serverUrl: "https://ntfy.sh", topic: "sonde" }),
    createdAtMs: 0,
    updatedAtMs: 0,
  };
  const [inserted] = await db("channels")
    .insert({ ...row, ...channel })
    .returning<{ id: number }[]>("id");
  return inserted?.id ?? 0;
}

export function factsOf(facts: Partial<AlertFacts> & { monitor?: number } = {}): AlertFacts {
  const { monitor = 1, ...given } = facts;
  return {
    kind: "down",
    incidentId: `m${monitor}`,
    incidentKind: "down",
    target: { type: "monitor", id: monitor, name: `monitor ${monitor}` },
    cause: "Timed out",
    openedAtMs: 1_000,
    flaps: 0,
    atMs: 1_000,
    reminder: 0,
    dependents: { names: [], count: 0 },
    address: "https://example.com/",
    tags: [],
    locations: ["default"],
    note: "",
    expectedStatus: "200",
    hostname: "",
    ipAddresses: [],
    os: "",
    ...given,
  };
}

/** Inserts an alert, and its incident if it does not exist. Returns the alert's id. */
export async function insertAlert(db: Database, facts: AlertFacts, moment = "opened"): Promise<number> {
  const { incidentId, target, cause, openedAtMs } = facts;
  await db("incidents")
    .insert({
      id: incidentId,
      targetType: target.type,
      targetId: target.id,
      targetName: target.name,
      kind: facts.incidentKind,
      cause,
      openedAtMs,
      facts: "{}",
    })
    .onConflict("id")
    .ignore();
  const [inserted] = await db("alerts")
    .insert({
      incidentId,
      moment,
      kind: facts.kind,
      facts: JSON.stringify(facts),
      createdAtMs: facts.atMs,
    })
    .returning<{ id: number }[]>("id");
  return inserted?.id ?? 0;
}

export const toChannel = (channelId: number, type: ChannelTypeName = "ntfy") => ({
  channelId,
  channelType: type,
  channelName: "ops",
  language: "en-US" as const,
  templateId: null,
});

/** Adds a delivery. Returns its id, or that of the alert's existing delivery to this channel. */
export async function addDelivery(
  trx: Database,
  { channelId, nowMs, ...delivery }: NewDelivery & { channelId: number; nowMs: number },
): Promise<number> {
  await addDeliveries(trx, channelId, [delivery], nowMs);
  const { alertId } = delivery;
  return (await trx("deliveries").where({ channelId, alertId }).first<{ id: number }>("id")).id;
}
