import type { AuditInit } from "@sonde/domain/audit";
import type { Database } from "@sonde/kit/postgres/database";
import type { AuditAction, AuditEntry, AuditFilters, AuditTarget } from "@sonde/proto/http/audit";

type Row = {
  id: string;
  atMs: number;
  userId: number | null;
  username: string;
  keyId: number | null;
  keyName: string | null;
  address: string | null;
  requestId: string;
  action: AuditAction;
  targetType: AuditTarget;
  targetId: string;
  targetName: string;
  changes: AuditEntry["changes"];
  isCut: boolean;
};

/** Cursor: entries before it in time, or at the same time with a lower id. */
export type AuditPosition = { atMs: number; id: string };

export function auditStore(db: Database) {
  const matching = ({ actor, action, target, since, until }: AuditFilters) =>
    db("audit").modify((query) => {
      const keyId = /^key:(\d{1,9})$/.exec(actor ?? "")?.[1];
      if (keyId !== undefined) void query.where("audit.keyId", Number(keyId));
      else if (actor !== undefined) void query.where("audit.username", actor);
      if (action !== undefined) void query.where("audit.action", action);
      const [type = "", ...id] = target?.split(":") ?? [];
      if (target !== undefined) void query.where("audit.targetType", type);
      if (id.length > 0) void query.where("audit.targetId", id.join(":"));
      if (since !== undefined) void query.where("audit.atMs", ">=", Date.parse(since));
      if (until !== undefined) void query.where("audit.atMs", "<", Date.parse(until));
    });
  const entries = async (query: ReturnType<typeof matching>): Promise<AuditEntry[]> => {
    const rows = await query
      .leftJoin("apiKeys", "apiKeys.id", "audit.keyId")
      .orderBy([
        { column: "audit.atMs", order: "desc" },
        { column: "audit.id", order: "desc" },
      ])
      .select<Row[]>("audit.*", "apiKeys.name as keyName");
    return rows.map(presentEntry);
  };

  return {
    list: async (filters: AuditFilters, page: number, pageSize: number) => {
      const [found, count] = await Promise.all([
        entries(
          matching(filters)
            .limit(pageSize)
            .offset((page - 1) * pageSize),
        ),
        matching(filters).count<{ count: number }[]>("* as count"),
      ]);
      return { entries: found, total: count[0]?.count ?? 0 };
    },
    after: (filters: AuditFilters, after: AuditPosition | null, limit: number): Promise<AuditEntry[]> =>
      entries(
        matching(filters)
          .modify((query) => after && void query.whereRaw("(audit.at_ms, audit.id) < (?, ?)", [after.atMs, after.id]))
          .limit(limit),
      ),
    /** The bus may deliver an entry twice. */
    insert: async (given: readonly (AuditInit & { $unknown?: unknown })[]): Promise<void> => {
      const rows = given.map(({ $typeName: _type, $unknown: _unknown, ...row }) => row);
      await db("audit").insert(rows).onConflict(["at_ms", "id"]).ignore();
    },
  };
}

function presentEntry(row: Row): AuditEntry {
  const { id, atMs, userId, username, keyId, keyName, targetType, targetId, targetName } = row;
  return {
    id,
    at: new Date(atMs).toISOString(),
    actor: {
      id: userId ?? undefined,
      username,
      key: keyId === null ? undefined : { id: keyId, name: keyName ?? undefined },
    },
    address: row.address ?? undefined,
    action: row.action,
    target: { type: targetType, id: targetId, name: targetName },
    changes: row.changes,
    isCut: row.isCut,
    requestId: row.requestId,
  };
}
