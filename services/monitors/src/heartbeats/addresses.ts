import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import { secretMask } from "@sonde/proto/http/secrets";
import { randomBytes, randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import { committing } from "../monitors/monitors.ts";
import { presentMonitor } from "../monitors/present.ts";
import { lockMonitor } from "../monitors/store.ts";
import {
  addressHash,
  context,
  endTargets,
  enqueueTargets,
  hasAddress,
  hashOf,
  insertTargets,
  isHeartbeat,
  nextRevision,
  tryOpen,
  previousMs,
  readPingKey,
} from "./targets.ts";

/**
 * Replaces the address. The previous one still works for a day; older ones end. @throws AppError not_found,
 * impossible
 */
export async function renewPingUrl(ctx: Context, { id }: { id: number }): Promise<KnownMonitor> {
  const monitor = await committing(ctx, async (trx) => {
    const locked = await lockMonitor(trx, id);
    if (!hasAddress(locked.config.type)) throw new AppError("impossible", "This monitor is not a heartbeat");
    const atMs = ctx.clock.now();
    await endTargets(trx, atMs, "role = 'previous' and monitor_id = ?", [id]);
    const former = await trx("ping_targets")
      .where({ monitorId: id, role: "address" })
      .whereNull("deletedAtMs")
      .update({ role: "previous", untilMs: atMs + previousMs, revision: nextRevision(trx) })
      .returning<{ hash: string }[]>("hash");
    await enqueueTargets(trx, former);
    const uuid = randomUUID();
    await trx("heartbeats")
      .where({ monitorId: id })
      .update({ address: ctx.secrets.seal(uuid, context) });
    await insertTargets(trx, [{ hash: addressHash(locked, uuid), role: "address", monitorId: id }]);
    await record(trx, "monitors", {
      action: "rotate",
      target: { type: "monitor", id, name: locked.name },
      secrets: [isHeartbeat(locked) ? "pingUrl" : "inboundUrl"],
    });
    return locked;
  });
  return presentMonitor(ctx, monitor);
}

type PingKey = { pingKey: string | null; creates: boolean };

export async function getPingKey(ctx: Context): Promise<PingKey> {
  const stored = await readPingKey(ctx.db);
  return stored === undefined
    ? { pingKey: null, creates: false }
    : { pingKey: tryOpen(ctx.secrets, stored.key) ?? secretMask, creates: stored.creates };
}

/** `renew` replaces an existing key, which stops working at once. */
export async function setPingKey(
  { db, secrets, clock, nudge }: Context,
  { creates, renew }: { creates: boolean; renew: boolean },
): Promise<PingKey> {
  const key = await db.transaction(async (trx) => {
    await trx.raw("lock table ping_keys in exclusive mode");
    const before = await readPingKey(trx);
    const isNew = before === undefined || renew;
    const plain = isNew ? randomBytes(16).toString("base64url") : secrets.open(before.key, context);
    const stored = { key: isNew ? secrets.seal(plain, context) : before.key, creates };
    await trx("ping_keys").insert(stored).onConflict("single").merge();
    const atMs = clock.now();
    await endTargets(trx, atMs, isNew ? "role in ('key', 'slug')" : "role = 'key'", []);
    await insertTargets(trx, [{ hash: hashOf(plain), role: "key", monitorId: null, creates }]);
    if (isNew) {
      const slugs = await trx("monitors")
        .whereNull("deletedAtMs")
        .whereRaw("config->>'slug' is not null")
        .select<{ id: number; slug: string }[]>("id", trx.raw("config->>'slug' as slug"));
      const targets = slugs.map(
        ({ id, slug }) => ({ hash: hashOf(`${plain}/${slug}`), role: "slug", monitorId: id }) as const,
      );
      await insertTargets(trx, targets);
    }
    await record(trx, "monitors", {
      action: before === undefined ? "create" : renew ? "rotate" : "update",
      target: { type: "settings", id: "ping-key", name: "Ping key" },
      before: before && { creates: before.creates, pingKey: secretMask },
      after: { creates, pingKey: secretMask },
      secrets: isNew && before !== undefined ? ["pingKey"] : [],
    });
    return plain;
  });
  nudge();
  return { pingKey: key, creates };
}
