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

/** What was done. `before` and `after` are as the API answers them: secrets masked. */
export type AuditFact = {
  action: AuditAction;
  target: { type: AuditTarget; id: number | string; name: string };
  /** Null or absent where there was none. */
  before?: object | null | undefined;
  /** Null or absent where there is none now. */
  after?: object | null | undefined;
  /** Paths of secrets that changed, which look alike in `before` and `after`. */
  secrets?: readonly AuditPath[] | undefined;
  /** Who, where it is not the caller of the service. */
  by?: { id?: number; username: string } | undefined;
};

export type AuditInit = MessageInitShape<typeof EntrySchema> & { id: string; atMs: number };

/** Fields that say nothing of what was changed. */
const beside = ["id", "createdAt", "updatedAt", "revision"] as const;
type FieldOf<State> = unknown extends State
  ? never
  : State extends object
    ? [keyof State] extends [never]
      ? "(a type that names its fields)"
      : Exclude<keyof State, AuditField | (typeof beside)[number]>
    : never;
/** A fact whose fields all have labels in the web app. Another field is a type error until `AuditField` lists it. */
export type Labelled<Fact extends AuditFact> = Fact &
  (FieldOf<Fact["before"]> | FieldOf<Fact["after"]> extends infer Unlabelled
    ? [Unlabelled] extends [never]
      ? unknown
      : { withoutLabel: Unlabelled }
    : never);

/** An entry may take 16 KiB on its way and in the table; 2 are left for what surrounds its changes. */
const maxChangesBytes = 14 * 1024;
const maxValueBytes = 2 * 1024;
const maxNameBytes = 300;

/** The entry of a change; null where neither a person nor a key asked for it, as of a retention, or an update changed nothing. */
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
    // 0: no account, as of a mounted folder.
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

/** Writes the entry of a change within its transaction; the outbox's relay sends it. */
export const record = <Fact extends AuditFact>(
  trx: Database,
  service: ServiceName,
  fact: Labelled<Fact>,
): Promise<void> => insertEntries(trx, service, [fact]);

/** The same of many changes at once. */
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

/** The fields in which two objects differ; lists are compared whole. */
function changesOf(before: object, after: object, within = ""): AuditChange[] {
  const [from, to] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) => {
    if (within === "" && (beside as readonly string[]).includes(key)) return [];
    const [old, now] = [from[key] ?? undefined, to[key] ?? undefined];
    if (isDeepStrictEqual(old, now)) return [];
    const path = within + key;
    if (isPlain(old ?? {}) && isPlain(now ?? {}))
      return changesOf((old ?? {}) as object, (now ?? {}) as object, `${path}.`);
    return [{ path, ...(old !== undefined && { from: old }), ...(now !== undefined && { to: now }) }];
  });
}

const isPlain = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** As many changes as an entry holds, long values cut. */
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
