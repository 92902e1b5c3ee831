import { record } from "@sonde/domain/audit";
import { refuseOwned } from "@sonde/domain/managed/table";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { AuditAction } from "@sonde/proto/http/audit";
import type { Message } from "@sonde/proto/http/messages";
import type { PolicyInput } from "@sonde/proto/http/on-call/policies";
import type { ScheduleInput } from "@sonde/proto/http/on-call/schedules";
import type { ReportInput } from "@sonde/proto/http/reports";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";

type Named = ScheduleInput | PolicyInput | ReportInput;

/** Objects that are stored as a name and the JSON of their other fields. */
export type NamedKind<Input extends Named> = {
  kind: "schedule" | "policy" | "report";
  table: string;
  fields: readonly (keyof Input & string)[];
  max: number;
  missing: Message;
  full: Message;
};
export type NamedRow<Input extends Named> = {
  id: number;
  name: string;
  value: Omit<Input, "name">;
  createdAtMs: number;
  updatedAtMs: number;
};
type Patch<Input> = { [Field in keyof Input]?: Input[Field] | null };

const contentOf = <Input extends Named>({ name, value }: NamedRow<Input>) => ({ name, ...value }) as Input;

/** @throws AppError `not_found` */
export async function findNamed<Input extends Named>(
  db: Database,
  { table, missing }: NamedKind<Input>,
  id: number,
  lock = false,
): Promise<NamedRow<Input>> {
  const query = db(table).where({ id }).first<NamedRow<Input> | undefined>();
  const row = await (lock ? query.forUpdate() : query);
  if (row === undefined) throw new AppError("not_found", missing);
  return row;
}

/** @throws AppError `impossible` if there are too many */
export async function addNamed<Input extends Named>(
  trx: Database,
  { table, kind, max, full }: NamedKind<Input>,
  input: Input,
  nowMs: number,
  columns: object = {},
): Promise<NamedRow<Input>> {
  // Serialises concurrent additions, which would both find room for one more.
  await trx.raw("lock table ?? in share row exclusive mode", [table]);
  const [counted] = await trx(table).count<{ count: number }[]>("* as count");
  if ((counted?.count ?? 0) >= max) throw new AppError("impossible", full, { params: { max } });
  const row = { ...columnsOf(input), ...columns, createdAtMs: nowMs, updatedAtMs: nowMs };
  const [made] = await trx(table).insert(row).returning<NamedRow<Input>[]>("*");
  await recordNamed(trx, kind, "create", made!, { after: input });
  return made!;
}

const columnsOf = ({ name, ...value }: Named) => ({ name, value: JSON.stringify(value) });

/** Returns the fields that a patch changes; `null` removes one. */
export const changedFields = <Input extends Named>(
  { fields }: NamedKind<Input>,
  before: NoInfer<Input>,
  patch: NoInfer<Patch<Input>>,
) =>
  fields.filter((field) => patch[field] !== undefined && !isDeepStrictEqual(before[field], patch[field] ?? undefined));

/** Changes the given fields. @throws AppError `not_found`, or `conflict` if a source owns a changed field */
export async function changeNamed<Input extends Named>(
  trx: Database,
  kind: NamedKind<Input>,
  id: number,
  patch: Patch<Input>,
  { nowMs, isOwner }: { nowMs: number; isOwner: boolean },
): Promise<NamedRow<Input>> {
  const row = await findNamed(trx, kind, id, true);
  const before = contentOf(row);
  const changed = changedFields(kind, before, patch);
  if (!isOwner) await refuseOwned(trx, { kind: kind.kind, id, name: row.name }, () => changed);
  const after = { ...before, ...Object.fromEntries(changed.map((field) => [field, patch[field] ?? undefined])) };
  const [updated] = await trx(kind.table)
    .where({ id })
    .update({ ...columnsOf(after), updatedAtMs: nowMs })
    .returning<NamedRow<Input>[]>("*");
  await recordNamed(trx, kind.kind, "update", updated!, { before, after });
  return updated!;
}

/** @throws AppError `not_found`, or `conflict` if a source owns it */
export async function removeNamed<Input extends Named>(
  trx: Database,
  kind: NamedKind<Input>,
  id: number,
  isOwner: boolean,
): Promise<void> {
  const row = await findNamed(trx, kind, id, true);
  if (!isOwner) await refuseOwned(trx, { kind: kind.kind, id, name: row.name }, null);
  await trx(kind.table).where({ id }).delete();
  await recordNamed(trx, kind.kind, "delete", row, { before: contentOf(row) });
}

type Recorded = Named | { override: object } | { feed: true } | { period: string };

export const recordNamed = (
  trx: Database,
  type: "schedule" | "policy" | "report",
  action: AuditAction,
  { id, name }: { id: number; name: string },
  states: { before?: Recorded; after?: Recorded },
): Promise<void> => record(trx, "notifier", { action, target: { type, id, name }, ...states });

/** Runs a change in a transaction, and wakes the outbox relay after it. */
export async function changing<Result>(
  { db, clock, committed }: Pick<Context, "db" | "clock" | "committed">,
  change: (trx: Database, nowMs: number) => Promise<Result>,
): Promise<Result> {
  const result = await db.transaction((trx) => change(trx, clock.now()));
  committed();
  return result;
}

type PageQuery = { page: number; pageSize: number; search?: string | undefined };
type Order = { column: string; order?: "asc" | "desc"; nulls?: "last" };

/** Returns a page of the rows whose name contains the search text, and the number of all such rows. */
export async function pageOf<Row>(
  db: Database,
  { table, column = "name" }: { table: string; column?: string },
  { page, pageSize, search = "" }: PageQuery,
  order: Order[],
): Promise<{ rows: Row[]; total: number }> {
  // PostgreSQL cannot store NUL in a text.
  const key = search.replaceAll("\0", "").toLowerCase();
  const matching = db(table).whereRaw("position(? in lower(??)) > 0", [key, column]);
  const [rows, [counted]] = await Promise.all([
    matching
      .clone()
      .orderBy(order)
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .select<object[]>(),
    matching.clone().count<{ count: number }[]>("* as count"),
  ]);
  return { rows: rows as Row[], total: counted?.count ?? 0 };
}

export function instantOf(ms: number): string;
export function instantOf(ms: number | null | undefined): string | undefined;
export function instantOf(ms: number | null | undefined): string | undefined {
  return ms == null ? undefined : new Date(ms).toISOString();
}
