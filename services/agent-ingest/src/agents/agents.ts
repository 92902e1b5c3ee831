import { record } from "@sonde/domain/audit";
import { readDependsOn } from "@sonde/domain/incidents/targets";
import { countOpenIncidents, publishIncident } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { AgentsQuery, AgentStatus, updateAgentInput } from "@sonde/proto/http/agents/agents";
import { maxTags } from "@sonde/proto/http/monitors/lists";
import { maxId } from "@sonde/proto/http/envelope";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { factsOf, incidents } from "../incidents/store.ts";
import { newestKeyAtMs, revokeKeys } from "../keys/store.ts";
import { presentAgent, presentAgents, type PresentContext } from "./present.ts";
import * as store from "./store.ts";

/** A duplicate key counts as resolved after this time. */
const duplicateShownMs = 3_600_000;
/** Deferred incidents are reported every ten minutes while they continue. */
const deferredShownMs = 20 * 60_000;

/** @throws AppError not_found */
export async function getAgent(ctx: Context, { id }: { id: number }): Promise<KnownAgent> {
  const { db, clock } = ctx;
  const stored = await store.findAgent(db, id);
  const [agent, registeredAtMs] = await Promise.all([presentAgent(ctx, stored), newestKeyAtMs(db, id)]);
  const { duplicateKeyAtMs, incidentsHeldBackAtMs } = stored;
  return {
    ...agent,
    duplicateKey: duplicateKeyAtMs !== null && clock.now() - duplicateKeyAtMs < duplicateShownMs,
    incidentsHeldBack: incidentsHeldBackAtMs !== null && clock.now() - incidentsHeldBackAtMs < deferredShownMs,
    ...(registeredAtMs === null ? {} : { registeredAt: new Date(registeredAtMs).toISOString() }),
  };
}

/** Half of a bus message (1 MiB). */
const maxBytes = 512 * 1024;
/** Usage is decoded from whole samples: a few at a time, so that other work is not blocked. */
const readAtOnce = 20;

/** Returns the agents of a page that fit into one bus message, with only the usage of their newest samples. */
export async function listAgents(
  ctx: PresentContext,
  request: Omit<AgentsQuery, "ids"> & { ids: number[] },
): Promise<{ agents: KnownAgent[]; total: number; restIds: number[] }> {
  const query = { ...request, ids: request.ids.filter((id) => id <= maxId) };
  const { agents, total } = await store.listAgents(ctx.db, query);
  const shown = await presentFitting(ctx, agents);
  return { agents: shown, total, restIds: agents.slice(shown.length).map(({ id }) => id) };
}

async function presentFitting(ctx: PresentContext, agents: readonly store.StoredAgent[]): Promise<KnownAgent[]> {
  const shown: KnownAgent[] = [];
  let sizeBytes = 0;
  for (let from = 0; from < agents.length; from += readAtOnce) {
    for (const agent of await presentAgents(ctx, agents.slice(from, from + readAtOnce), { light: true })) {
      sizeBytes += Buffer.byteLength(JSON.stringify(agent));
      if (sizeBytes > maxBytes && shown.length > 0) return shown;
      shown.push(agent);
    }
  }
  return shown;
}

/** Most used first. */
export async function listAgentTags({
  db,
}: PresentContext): Promise<{ tags: { name: string; agents: number }[]; more: boolean }> {
  const tags = await store.selectTags(db, maxTags + 1);
  return { tags: tags.slice(0, maxTags), more: tags.length > maxTags };
}

const maxWorst = 50;

export async function agentsSummary(
  ctx: PresentContext,
  { worst }: { worst: number },
): Promise<Record<AgentStatus | "total" | "openIncidents", number> & { worst: KnownAgent[] }> {
  const { db } = ctx;
  const [counts, openIncidents, agents] = await Promise.all([
    store.countByStatus(db),
    countOpenIncidents(db),
    worst === 0 ? [] : store.findWorst(db, Math.min(maxWorst, worst)),
  ]);
  const total = counts.online + counts.connecting + counts.offline;
  return { ...counts, total, openIncidents, worst: await presentAgents(ctx, agents, { light: true }) };
}

/**
 * Absent fields stay.
 * @throws AppError not_found; invalid if it would depend on itself
 */
export async function updateAgent(
  ctx: Context,
  { id, name, tags, dependsOn: given }: z.infer<typeof updateAgentInput> & { id: number },
): Promise<KnownAgent> {
  const dependsOn = given && readDependsOn(given, { type: "agent", id });
  const nowMs = ctx.clock.now();
  const agent = await ctx.db.transaction(async (trx) => {
    const before = await store.lockAgent(trx, id);
    const isRenamed = name !== undefined && name !== before.name;
    const hasNewDependencies = dependsOn !== undefined && !isDeepStrictEqual(dependsOn, before.dependsOn);
    const isTagged = tags !== undefined && !isDeepStrictEqual(tags, before.tags);
    if (!isRenamed && !hasNewDependencies && !isTagged) return before;
    const after = await store.updateAgent(trx, id, { name, tags, dependsOn }, nowMs);
    await enqueueEvent(trx, store.createAgentEvent(after, isRenamed ? "renamed" : "updated", before.status, nowMs));
    await recordAgent(trx, "update", before, after);
    return after;
  });
  ctx.committed(id);
  return presentAgent(ctx, agent);
}

/**
 * Revokes the agent's keys, closes its incidents as deleted and discards its further samples. A tombstone remains for
 * a day. @throws AppError not_found
 */
export async function deleteAgent(ctx: Context, { id }: { id: number }): Promise<Record<string, never>> {
  const nowMs = ctx.clock.now();
  const revoked = await ctx.db.transaction(async (trx) => {
    const before = await store.lockAgent(trx, id);
    const hashes = await revokeKeys(trx, id, nowMs);
    const deleted = await store.markAgentDeleted(trx, id, nowMs);
    for (const { incident } of await incidents.closeAll(trx, [before], "deleted", nowMs)) {
      await publishIncident(trx, { atMs: nowMs, change: "closed", incident, quiet: true, facts: factsOf(before) });
    }
    await enqueueEvent(trx, store.createAgentEvent(deleted, "deleted", before.status, nowMs));
    await store.publishKeys(trx, hashes);
    await recordAgent(trx, "delete", before, null);
    return hashes;
  });
  ctx.keys.revoke(revoked);
  await ctx.published(id);
  return {};
}

const recordAgent = (
  trx: Database,
  action: "update" | "delete",
  before: store.StoredAgent,
  after: store.StoredAgent | null,
): Promise<void> =>
  record(trx, "agent-ingest", {
    action,
    target: { type: "agent", id: before.id, name: (after ?? before).name },
    before: definitionOf(before),
    after: after && definitionOf(after),
  });

const definitionOf = ({ name, hostname, ipAddresses, os, dependsOn, tags, intervalMs }: store.StoredAgent) => ({
  name,
  hostname,
  ipAddresses,
  os,
  dependsOn,
  tags,
  interval: intervalMs / 1000,
});
