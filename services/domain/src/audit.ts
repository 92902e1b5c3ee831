import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { EntrySchema } from "@sonde/proto/gen/audit/v1/audit";
import type { AuditAction, AuditChange, AuditField, AuditPath, AuditTarget } from "@sonde/proto/http/audit";
import { secretMask } from "@sonde/proto/http/secrets";
import type { ServiceName } from "@sonde/proto/services";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { currentCall } from "@sonde/kit/bus/rpc";
import { clipLines, clipText } from "@sonde/kit/clip";
import type { Database } from "@sonde/kit/postgres/database";

/** `before` and `after` are as returned by the API, with masked secrets. */
export type AuditFact = {
  action: AuditAction;
  target: { type: AuditTarget; id: number | string; name: string };
  before?: object | null | undefined;
  after?: object | null | undefined;
  /** Changed secrets, which are masked in both `before` and `after`. */
  secrets?: readonly AuditPath[] | undefined;
  /** Defaults to the caller of the service. */
  by?: { id?: number; username: string } | undefined;
};

export type AuditInit = MessageInitShape<typeof EntrySchema> & { id: string; atMs: number };

const bookkeepingFields = ["id", "createdAt", "updatedAt", "revision"] as const;
type FieldOf<State> = unknown extends State
  ? never
  : State extends object
    ? [keyof State] extends [never]
      ? "(a type that names its fields)"
      : Exclude<keyof State, AuditField | (typeof bookkeepingFields)[number]>
    : never;
/** A fact whose fields all have labels in the web app. A field that is missing in `AuditField` is a type error. */
export type Labelled<Fact extends AuditFact> = Fact &
  (FieldOf<Fact["before"]> | FieldOf<Fact["after"]> extends infer Unlabelled
    ? [Unlabelled] extends [never]
      ? unknown
      : { withoutLabel: Unlabelled }
    : never);

/** An entry is limited to 16 KiB; 2 KiB are reserved for its other fields. */
const maxChangesBytes = 14 * 1024;
const maxValueBytes = 2 * 1024;
const maxNameBytes = 300;

/** Returns `null` if no user or key caused the change (as for retention), or if an update changed nothing. */
export function createAuditEntry({ action, target, before, after, secrets = [], by }: AuditFact): AuditInit | null {
  const call = currentCall();
  const actor = by ?? call?.actor;
  if (actor === undefined) return null;
  const masked = secrets.map((path) => ({ path, from: secretMask, to: secretMask }));
  const all = [...changesOf(before ?? {}, after ?? {}), ...masked];
  if (action === "update" && all.length === 0) return null;
  const { changes, isCut } = fitting(all);
  return {
    id: randomUUID(),
    atMs: Date.now(),
    // 0 means no account, as for a mounted folder.
    userId: actor.id || undefined,
    username: actor.username,
    keyId: call?.actor?.keyId,
    address: call?.address,
    requestId: call?.requestId ?? "",
    action,
    targetType: target.type,
    targetId: String(target.id),
    targetName: clipText(target.name, maxNameBytes),
    changes: JSON.stringify(changes),
    isCut,
  };
}

/** Writes the entry in the transaction of its change; the outbox relay sends it. */
export const record = <Fact extends AuditFact>(
  trx: Database,
  service: ServiceName,
  fact: Labelled<Fact>,
): Promise<void> => insertEntries(trx, service, [fact]);

export const recordAll = <Fact extends AuditFact>(
  trx: Database,
  service: ServiceName,
  facts: readonly Labelled<Fact>[],
): Promise<void> => insertEntries(trx, service, facts);

async function insertEntries(trx: Database, service: ServiceName, facts: readonly AuditFact[]): Promise<void> {
  const rows = facts.flatMap((fact) => {
    const entry = createAuditEntry(fact);
    if (entry === null) return [];
    const bytes = Buffer.from(toBinary(EntrySchema, create(EntrySchema, entry)));
    return [{ subject: subjects.audit(service), event_id: entry.id, bytes }];
  });
  if (rows.length > 0) await trx.batchInsert("outbox", rows, 500);
}

/** Lists are compared as a whole. */
function changesOf(before: object, after: object, within = ""): AuditChange[] {
  const [from, to] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) => {
    if (within === "" && (bookkeepingFields as readonly string[]).includes(key)) return [];
    const [old, now] = [from[key] ?? undefined, to[key] ?? undefined];
    if (isDeepStrictEqual(old, now)) return [];
    const path = within + key;
    if (isPlain(old ?? {}) && isPlain(now ?? {}))
      return changesOf((old ?? {}) as object, (now ?? {}) as object, `${path}.`);
    return [{ path, ...(old !== undefined && { from: old }), ...(now !== undefined && { to: now }) }];
  });
}

const isPlain = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

function fitting(all: readonly AuditChange[]): { changes: AuditChange[]; isCut: boolean } {
  let isCut = false;
  const clipped = (value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text === undefined || Buffer.byteLength(text) <= maxValueBytes) return value;
    isCut = true;
    return clipLines(text, maxValueBytes);
  };
  let bytesLeft = maxChangesBytes;
  const changes = all
    .map(({ path, ...values }) => ({
      path: clipText(path, maxNameBytes),
      ...Object.fromEntries(Object.entries(values).map(([side, value]) => [side, clipped(value)])),
    }))
    .filter((change) => (bytesLeft -= Buffer.byteLength(JSON.stringify(change)) + 1) >= 0);
  return { changes, isCut: isCut || changes.length < all.length };
}
