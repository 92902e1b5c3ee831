import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import type { PingTargetRow } from "./targets.ts";

/** What gateways hold of addresses that jobs call: each hash with its monitor. */
export const pingsProjection = (db: Database): Projection => ({
  read: async (hashes) => {
    const rows = await db<PingTargetRow>("ping_targets").whereRaw("hash = any(?)", [[...hashes]]);
    return new Map(rows.map((row) => [row.hash, { revision: row.revision, value: encode(row) }]));
  },
  revisionOf: (value) => fromBinary(PingTargetSchema, value).revision,
  async keys(stored) {
    const rows = await db<PingTargetRow>("ping_targets").select("hash", "revision");
    const present = new Map(rows.map(({ hash, revision }) => [hash, revision]));
    return [...new Set([...present.keys(), ...stored])].map((key) => ({
      key,
      revision: present.get(key) ?? Number.POSITIVE_INFINITY,
    }));
  },
});

function encode({ monitorId, revision, deletedAtMs, untilMs, creates }: PingTargetRow): Uint8Array {
  const value =
    deletedAtMs === null
      ? { monitorId: monitorId ?? 0, revision, creates, ...(untilMs !== null && { untilMs }) }
      : { revision, deleted: true };
  return toBinary(PingTargetSchema, create(PingTargetSchema, value));
}
