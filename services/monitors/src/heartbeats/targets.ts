import { invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { type CheckOf, type CheckType, isPassive } from "@sonde/proto/http/monitors/kinds";
import { secretMask } from "@sonde/proto/http/secrets";
import { buckets, inboundKey } from "@sonde/proto/streams";
import { createHash, randomUUID } from "node:crypto";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { shownCheck } from "../monitors/stored-check.ts";
import { dueFromNow, type TrackedHeartbeat } from "./decide.ts";

export type TargetRole = "address" | "previous" | "slug" | "key";
export type PingTargetRow = {
  hash: string;
  role: TargetRole;
  monitorId: number | null;
  revision: number;
  untilMs: number | null;
  creates: boolean;
  deletedAtMs: number | null;
};
type StoredKey = { key: string; creates: boolean };

export const previousMs = 24 * 3_600_000;
export const context = secretContexts.check;
export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
/** Others call heartbeats and inbound monitors. */
export const hasAddress = (type: CheckType): boolean => isPassive(type) && type !== "group";
export const isHeartbeat = ({ config }: StoredMonitor) => config.type === "heartbeat";
const slugOf = ({ config }: StoredMonitor) => (config["slug"] ?? null) as string | null;

/** The path that a job or another system calls; a mask if no key opens it. */
export function addressPath(box: SecretBox, address: string, prefix: "/ping/" | "/api/inbound/"): string {
  const end = tryOpen(box, address);
  return end === null ? secretMask : prefix + end;
}

/** The prefix keeps the addresses of inbound monitors and heartbeats apart. */
export const addressHash = ({ config }: StoredMonitor, end: string): string =>
  hashOf(config.type === "inbound" ? inboundKey(end) : end);

export function tryOpen(box: SecretBox, sealed: string): string | null {
  try {
    return box.open(sealed, context);
  } catch {
    return null;
  }
}

const sealedAtOnce = 500;

/** Reseals addresses and the ping key that an older key sealed. Safe to run in several replicas. */
export async function sealAddresses(db: Database, box: SecretBox): Promise<void> {
  const again = (sealed: string) => {
    const plain = box.isCurrent(sealed, context) ? null : tryOpen(box, sealed);
    return plain === null ? null : box.seal(plain, context);
  };
  for (let afterId = 0; ;) {
    const stored = db<{ monitorId: number; address: string }>("heartbeats").select("monitorId", "address");
    const rows = await stored.where("monitorId", ">", afterId).orderBy("monitorId").limit(sealedAtOnce);
    for (const row of rows) {
      const address = again(row.address);
      if (address !== null) await db("heartbeats").where(row).update({ address });
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    afterId = last.monitorId;
  }
  const stored = await readPingKey(db);
  const key = stored && again(stored.key);
  if (key) await db("ping_keys").where({ key: stored.key }).update({ key });
}

/** Call it in the transaction of the change. */
export async function writeAddresses(
  trx: Database,
  box: SecretBox,
  changes: readonly { before: StoredMonitor | null; monitor: StoredMonitor }[],
  atMs: number,
): Promise<void> {
  const own = changes.filter(({ monitor }) => hasAddress(monitor.config.type));
  const made = own.filter(({ before }) => before === null).map(({ monitor }) => addressOf(box, monitor));
  if (made.length > 0) {
    const rows = made.map(({ id, uuid, calledAs }) => ({
      monitorId: id,
      address: box.seal(uuid, context),
      sinceMs: atMs,
      state: calledAs && JSON.stringify(dueFromNow(calledAs, Math.round(atMs))),
    }));
    await trx("heartbeats").insert(rows);
    const targets = made.flatMap(({ id, hash, token }): NewTarget[] => [
      { hash, role: "address", monitorId: id },
      // Without `untilMs` it works until the address is renewed.
      ...(token === null ? [] : [{ hash: hashOf(token), role: "previous", monitorId: id } as const]),
    ]);
    await refuseTaken(trx, targets);
    await insertTargets(trx, targets);
  }
  await removeTokens(trx, own);
  await renewFormats(trx, own);
  const moved = own.filter(({ before, monitor }) => slugOf(monitor) !== (before && slugOf(before)));
  if (moved.length === 0) return;
  const ids = moved.map(({ monitor: { id } }) => id);
  await endTargets(trx, atMs, "role = 'slug' and monitor_id = any(?::int[])", [ids]);
  const stored = await readPingKey(trx);
  if (stored === undefined) return;
  const key = box.open(stored.key, context);
  const slugs = moved.flatMap(({ monitor }) =>
    slugOf(monitor)?.length ? [{ id: monitor.id, slug: slugOf(monitor)! }] : [],
  );
  await insertTargets(
    trx,
    slugs.map(({ id, slug }) => ({ hash: hashOf(`${key}/${slug}`), role: "slug", monitorId: id })),
  );
}

const uuidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Gateways read a request in the format that they know. */
async function renewFormats(
  trx: Database,
  changes: readonly { before: StoredMonitor | null; monitor: StoredMonitor }[],
): Promise<void> {
  const changed = changes.filter(
    ({ before, monitor }) => before !== null && before.config["format"] !== monitor.config["format"],
  );
  if (changed.length === 0) return;
  const renewed = await trx("ping_targets")
    .whereRaw("monitor_id = any(?::int[])", [changed.map(({ monitor }) => monitor.id)])
    .update({ revision: nextRevision(trx) })
    .returning<{ hash: string }[]>("hash");
  await enqueueTargets(trx, renewed);
}

type NewAddress = {
  id: number;
  uuid: string;
  hash: string;
  token: string | null;
  /** Set if the job already pings: its first run is due one period from now. Otherwise `null`. */
  calledAs: Pick<TrackedHeartbeat, "version" | "check"> | null;
};

/** Uses an imported UUID as the address; any other imported token works in addition to a new address. */
function addressOf(box: SecretBox, monitor: StoredMonitor): NewAddress {
  const { id, version, config, activeSinceMs } = monitor;
  const imported = config["pingToken"] as { sealed: string } | undefined;
  const called = imported && box.open(imported.sealed, context);
  const isUuid = called !== undefined && uuidForm.test(called);
  const uuid = isUuid ? called.toLowerCase() : randomUUID();
  const address = { id, uuid, hash: addressHash(monitor, uuid), token: isUuid ? null : (called ?? null) };
  const check = shownCheck(config) as CheckOf<"heartbeat">;
  return { ...address, calledAs: called === undefined || activeSinceMs === null ? null : { version, check } };
}

/** @throws AppError invalid if another heartbeat has one of the addresses */
async function refuseTaken(trx: Database, targets: readonly NewTarget[]): Promise<void> {
  const hashes = targets.map(({ hash }) => hash);
  const taken = await trx("ping_targets")
    .whereRaw("hash = any(?::text[])", [hashes])
    .whereNull("deletedAtMs")
    .first<{ hash: string } | undefined>("hash");
  if (taken !== undefined || new Set(hashes).size < hashes.length)
    throw invalid([{ path: "pingToken", message: "Another monitor already uses this address" }]);
}

/** Imported tokens are not part of a definition. */
async function removeTokens(trx: Database, changes: readonly { monitor: StoredMonitor }[]): Promise<void> {
  const given = changes.filter(({ monitor }) => monitor.config["pingToken"] !== undefined);
  if (given.length === 0) return;
  await trx("monitors")
    .whereRaw("id = any(?::int[])", [given.map(({ monitor: { id } }) => id)])
    .update({ config: trx.raw("config - 'pingToken'") });
  for (const { monitor } of given) delete monitor.config["pingToken"];
}

/** Resets paused and resumed heartbeats: nothing is due before their next ping. */
export async function restartWaiting(trx: Database, monitors: readonly StoredMonitor[], atMs: number): Promise<void> {
  const ids = monitors.filter(isHeartbeat).map(({ id }) => id);
  if (ids.length === 0) return;
  const waiting = { state: null, sinceMs: Math.round(atMs) };
  await trx("heartbeats").whereRaw("monitor_id = any(?::int[])", [ids]).update(waiting);
}

export const endAddresses = (trx: Database, ids: readonly number[], atMs: number): Promise<void> =>
  endTargets(trx, atMs, "monitor_id = any(?::int[])", [[...ids]]);

export const readPingKey = (db: Database) => db<StoredKey>("ping_keys").first<StoredKey | undefined>("key", "creates");
export const nextRevision = (db: Database) => db.raw("nextval('revisions')");

type NewTarget = Pick<PingTargetRow, "hash" | "role" | "monitorId"> & { creates?: boolean };

export async function insertTargets(trx: Database, targets: readonly NewTarget[]): Promise<void> {
  if (targets.length === 0) return;
  const rows = targets.map((target) => ({ ...target, revision: nextRevision(trx), untilMs: null, deletedAtMs: null }));
  for (let at = 0; at < rows.length; at += 500) {
    // A slug that is used again has the hash of its tombstone.
    await trx("ping_targets")
      .insert(rows.slice(at, at + 500))
      .onConflict("hash")
      .merge();
  }
  await enqueueTargets(trx, targets);
}

/** Leaves tombstones. */
export async function endTargets(trx: Database, atMs: number, where: string, values: unknown[]): Promise<void> {
  const ended = await trx("ping_targets")
    .whereRaw(where, values as never)
    .whereNull("deletedAtMs")
    .update({ deletedAtMs: Math.round(atMs), revision: nextRevision(trx) })
    .returning<{ hash: string }[]>("hash");
  await enqueueTargets(trx, ended);
}

/** Ends expired previous addresses and deletes tombstones after a day. */
export async function sweepTargets(db: Database, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    await endTargets(trx, nowMs, "until_ms < ?", [Math.round(nowMs)]);
    const gone = await trx("ping_targets")
      .where("deletedAtMs", "<", nowMs - previousMs)
      .delete()
      .returning<{ hash: string }[]>("hash");
    await enqueueTargets(trx, gone);
  });
}

export const enqueueTargets = (trx: Database, targets: readonly { hash: string }[]): Promise<void> =>
  enqueueKeys(
    trx,
    targets.map(({ hash }) => ({ bucket: buckets.pings, key: hash })),
  );

/** @throws AppError invalid if the slug is taken; otherwise rethrows */
export function refuseTakenSlug(thrown: unknown): never {
  const { constraint } = thrown as { constraint?: unknown };
  throw constraint === "monitors_by_slug"
    ? invalid([{ path: "slug", message: "Another monitor already uses this slug" }])
    : thrown;
}
