import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { allPingTargets } from "@sonde/proto/streams";
import type { PingTargetRow } from "./targets.ts";

const allRevision = 1;

/** Maps the hash of each ping address to its monitor, for gateways. An extra entry marks the list as complete. */
export const pingsProjection = (db: Database): Projection => ({
  read: async (hashes) => {
    const rows = await db("ping_targets")
      .leftJoin("monitors", "monitors.id", "ping_targets.monitorId")
      .whereRaw("hash = any(?)", [[...hashes]])
      .select<TargetOfMonitor[]>("ping_targets.*", db.raw("config->>'format' as format"));
    const entries = new Map(rows.map((row) => [row.hash, { revision: row.revision, value: encode(row) }]));
    if (!hashes.includes(allPingTargets)) return entries;
    const value = toBinary(PingTargetSchema, create(PingTargetSchema, { revision: allRevision }));
    return entries.set(allPingTargets, { revision: allRevision, value });
  },
  revisionOf: (value) => fromBinary(PingTargetSchema, value).revision,
  async keys(stored) {
    const rows = await db<PingTargetRow>("ping_targets").select("hash", "revision");
    const present = new Map(rows.map(({ hash, revision }) => [hash, revision])).set(allPingTargets, allRevision);
    return [...new Set([...present.keys(), ...stored])].map((key) => ({
      key,
      revision: present.get(key) ?? Number.POSITIVE_INFINITY,
    }));
  },
});

type TargetOfMonitor = PingTargetRow & { format: string | null };

function encode({ monitorId, revision, deletedAtMs, untilMs, creates, format }: TargetOfMonitor): Uint8Array {
  const value =
    deletedAtMs === null
      ? { monitorId: monitorId ?? 0, revision, creates, format: format ?? "", ...(untilMs !== null && { untilMs }) }
      : { revision, deleted: true };
  return toBinary(PingTargetSchema, create(PingTargetSchema, value));
}
