import { fromBinary } from "@bufbuild/protobuf";
import { type Entry, EntrySchema } from "@sonde/proto/gen/audit/v1/audit";
import type { AuditChange } from "@sonde/proto/http/audit";
import { streams } from "@sonde/proto/streams";
import type { Bus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { withCall } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";

export const call = {
  actor: { id: 7, username: "ada", role: "admin" as const },
  address: "192.0.2.7",
  requestId: "request-1",
};

export const asUser = <Answer>(run: () => Answer): Answer =>
  withCall({ ...call, timeoutMs: 5_000, signal: new AbortController().signal }, run);

/** `what`: for example `create monitor:1 Shop`. */
export type ShownEntry = { what: string; by: string; changes: AuditChange[] };

const shown = ({ action, targetType, targetId, targetName, username, changes }: Entry): ShownEntry => ({
  what: `${action} ${targetType}:${targetId} ${targetName}`.trim(),
  by: username,
  changes: JSON.parse(changes),
});

/** For an outbox without a relay; oldest first. */
export async function takeEntries(db: Database): Promise<ShownEntry[]> {
  const rows = await db("outbox").whereLike("subject", "audit.%").orderBy("id").select<{ bytes: Buffer }[]>("bytes");
  await db("outbox").whereLike("subject", "audit.%").delete();
  return rows.map(({ bytes }) => shown(fromBinary(EntrySchema, bytes)));
}

export function collectEntries(bus: Bus) {
  const entries: ShownEntry[] = [];
  const { stop } = followStream(bus, {
    stream: streams.audit.name,
    from: "first",
    onMessage: ({ data }) => void entries.push(shown(fromBinary(EntrySchema, data))),
  });
  return { entries, stop };
}
