import {
  type AuditAction,
  type AuditEntry,
  type AuditFilters,
  type auditQuery,
  maxAuditEntries,
} from "@sonde/proto/http/audit";
import type { MonitorEdit } from "@sonde/proto/rpc/audit";
import type { z } from "zod";
import { type Context, record, requireActor, requireAdmin } from "../context.ts";
import type { AuditPosition } from "./store.ts";

export async function listEntries(ctx: Context, { page, pageSize, ...filters }: z.output<typeof auditQuery>) {
  requireAdmin(ctx);
  return ctx.store.audit.list(filters, page, pageSize);
}

export async function pageEntries(
  ctx: Context,
  { after, ...filters }: AuditFilters & { after?: Pick<AuditEntry, "id" | "at"> | undefined },
): Promise<{ entries: AuditEntry[]; more: boolean }> {
  requireAdmin(ctx);
  const position: AuditPosition | null = after === undefined ? null : { id: after.id, atMs: Date.parse(after.at) };
  const entries = await ctx.store.audit.after(filters, position, maxAuditEntries);
  return { entries, more: entries.length === maxAuditEntries };
}

const editActions: readonly AuditAction[] = ["create", "update", "pause", "resume"];
const maxEdits = 20;

/** Open to services, which decide who may see it. */
export async function listEdits(
  ctx: Context,
  { monitorId, since, until }: { monitorId: number; since: string; until: string },
): Promise<MonitorEdit[]> {
  const entries = await ctx.store.audit.after({ target: `monitor:${monitorId}`, since, until }, null, maxEdits);
  return entries
    .filter(({ action }) => editActions.includes(action))
    .map(({ at, action, actor, changes }) => ({
      at,
      action,
      by: actor.key?.name ?? actor.username,
      fields: changes.map(({ path }) => path),
    }));
}

/** Audits an export by the gateway, which calls this before it sends anything. */
export async function recordExport(ctx: Context, { target }: { target: "installation" | "audit" }): Promise<void> {
  requireActor(ctx);
  await record(ctx.store, { action: "export", target: { type: target, id: target, name: "" } });
}
