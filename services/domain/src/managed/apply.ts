import type { ManagedKind } from "@sonde/proto/http/config/managed";
import type { MessageParams } from "@sonde/proto/http/fill";
import type { Message } from "@sonde/proto/http/messages";
import { type ApplyPart, type ConfigLine, configLine, type ConfigOutcome } from "@sonde/proto/rpc/apply";
import { isDeepStrictEqual } from "node:util";
import { slices } from "@sonde/kit/concurrency/slices";
import { AppError, invalid, toAppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { ConfigIds } from "./ids.ts";
import { unzipLines, zipLines } from "./lines.ts";
import { forgetOwners, type ManagedRow, readOwners, releasedOf, saveOwners, takeGeneration } from "./table.ts";

export type FieldChange = { path: string; from: unknown; to: unknown };
export type PlannedEntry<Next> = { next: Next; changes: FieldChange[] };
/** `id` is 0 if it is not known yet. */
export type Written<Stored, Next> = {
  line: ConfigLine;
  id: number;
  before: Stored | null;
  dropped: string[];
  next: Next;
};
/** An existing object with the same name, or only with the same target. */
export type Alike = { id: number; name: string; hasName: boolean };

/** `fields` were owned by the source. */
export type Removed<Stored> = { id: number; stored: Stored; fields: readonly string[] };

export type AppliedKind<Stored, Next> = {
  kind: ManagedKind;
  /** Id of an object that exists once, or once per other object, and is never created or deleted. */
  idOf?(line: ConfigLine): number;
  find(trx: Database, ids: readonly number[]): Promise<Map<number, Stored>>;
  findAlike?(trx: Database, lines: readonly ConfigLine[]): Promise<(line: ConfigLine) => Alike[]>;
  /** @param dropped fields that return to their defaults @throws AppError with paths within the entry */
  plan(line: ConfigLine, before: Stored | null, dropped: readonly string[]): Promise<PlannedEntry<Next> | null>;
  /** Checks planned entries together; new objects have negative ids. Returns an error and its entry, or `null`. */
  refuse?(
    trx: Database,
    written: readonly Written<Stored, Next>[],
    removed: readonly number[],
  ): Promise<{ id: number; error: AppError } | null>;
  /** @returns ids of new objects, by key */
  write(trx: Database, written: readonly Written<Stored, Next>[]): Promise<Map<string, number>>;
  remove(trx: Database, removed: readonly Removed<Stored>[]): Promise<void>;
};

/** @throws AppError invalid */
export async function readPart({ lines }: ApplyPart): Promise<ConfigLine[]> {
  const turn = slices();
  const read: ConfigLine[] = [];
  for (const text of await unzipLines(lines)) {
    read.push(readLine(text));
    await turn();
  }
  return read;
}

function readLine(text: string): ConfigLine {
  try {
    return configLine.parse(JSON.parse(text));
  } catch {
    throw invalid([{ path: "", message: "This value is not valid" }]);
  }
}

type AnyKind = AppliedKind<unknown, unknown>;
type Applied = { outcomes: ConfigOutcome[]; writes: number };

/**
 * Plans a part of a document, or applies it in one transaction: kind by kind, each with its removals.
 * @param kindsOf objects come before those that refer to them
 * @throws AppError conflict if a newer generation has started or something changed since the plan; errors of entries
 */
export async function applyManagedPart(
  transact: <Result>(run: (trx: Database) => Promise<Result>) => Promise<Result>,
  { part, signal }: { part: ApplyPart; signal: AbortSignal },
  kindsOf: (ids: ConfigIds, lines: readonly ConfigLine[]) => AnyKind[],
): Promise<{ lines: string; writes: number }> {
  const lines = await readPart(part);
  const ids = new ConfigIds(part.ids);
  const applied = await transact(async (trx) => {
    // Released objects in the part are taken over again or conflict. The others are forgotten.
    const released = part.source === null ? new Map<string, number>() : await releasedOf(trx, part.source);
    if (part.source !== null && part.generation !== null) await takeGeneration(trx, part.source, part.generation);
    const all: Applied = { outcomes: [], writes: released.size > 0 ? 1 : 0 };
    for (const kind of kindsOf(ids, lines)) {
      const own = lines.filter((line) => line.kind === kind.kind);
      const { outcomes, writes } = await applyKind(trx, { part, kind, lines: own, ids, released });
      all.outcomes.push(...outcomes);
      all.writes += writes;
    }
    // The caller has timed out and counts the part as failed.
    if (part.generation !== null && signal.aborted)
      throw new AppError("unavailable", "The response took too long, please try again later");
    return all;
  });
  return { lines: await zipLines(applied.outcomes), writes: applied.writes };
}

type Work = {
  part: ApplyPart;
  kind: AnyKind;
  lines: readonly ConfigLine[];
  ids: ConfigIds;
  released: ReadonlyMap<string, number>;
};
/** `id` is negative for an object that a plan would create, 0 for a new one without a reserved id. */
type Located = { line: ConfigLine; row: ManagedRow | undefined; id: number; before: unknown };
type Conflict = Pick<ConfigOutcome, "faults" | "with">;

async function applyKind(trx: Database, work: Work): Promise<Applied> {
  const { part, kind, lines, ids } = work;
  const keys = new Set(lines.map(({ key }) => key));
  const rows = part.source === null ? [] : await readOwners(trx, kind.kind, part.source, [...keys]);
  const { located, conflicts } = await locate(trx, work, rows);
  const { outcomes, written, owned } = await planEach(work, located);
  const idOfRow = new Map(located.map(({ row, id }) => [row, id]));
  // Objects no longer in the document, and settings that moved to another monitor.
  const left = rows.filter((row) => row.source === part.source && (!keys.has(row.key) || idOfRow.get(row) !== row.id));
  const stored = await kind.find(
    trx,
    left.map(({ id }) => id),
  );
  for (const row of left.filter(({ id, key }) => stored.has(id) && !keys.has(key))) outcomes.push(removalOf(kind, row));
  const applied = { outcomes: [...conflicts, ...outcomes], writes: written.length + owned.length + left.length };
  if (part.generation === null) {
    const refused = await kind.refuse?.(
      trx,
      written,
      left.map(({ id }) => id),
    );
    const key = written.find(({ id }) => id === refused?.id)?.line.key;
    const at = applied.outcomes.findIndex((one) => refused && one.key === key);
    if (refused && at >= 0)
      applied.outcomes[at] = { ...applied.outcomes[at]!, outcome: "fault", ...faultsOfEntry(refused.error) };
    return applied;
  }

  if (conflicts.length > 0)
    throw new AppError("conflict", "The configuration changed in the meantime: apply the document again");
  const removed = left.filter(({ id }) => stored.has(id));
  await kind.remove(
    trx,
    removed.map(({ id, fields }) => ({ id, stored: stored.get(id), fields })),
  );
  await forgetOwners(trx, kind.kind, left);
  const made = written.length === 0 ? new Map<string, number>() : await kind.write(trx, written);
  for (const [key, id] of made) ids.set(kind.kind, key, id);
  for (const one of applied.outcomes) if (one.outcome === "create") one.id = ids.get(kind.kind, one.key);
  await saveOwners(
    trx,
    owned.map(({ line, id }) => ({
      ...ownedBy(line),
      id: made.get(line.key) ?? id,
      source: part.source ?? "",
      generation: part.generation ?? 0,
    })),
  );
  return applied;
}

const ownedBy = ({ kind, key, place = "", fields }: ConfigLine) => ({
  kind,
  key,
  place,
  fields: Object.keys(fields).sort(),
});

/** Runs before any entry is planned, because entries refer to each other. */
async function locate(
  trx: Database,
  { part: { source, generation }, kind, lines, ids, released }: Work,
  rows: ManagedRow[],
) {
  const rowOf = new Map(rows.map((row) => [row.key, row]));
  const releasedId = ({ key }: ConfigLine) => released.get(`${kind.kind}:${key}`) ?? 0;
  const named =
    kind.idOf === undefined ? [...rows.map(({ id }) => id), ...lines.map(releasedId)] : lines.map(kind.idOf);
  const stored = await kind.find(trx, named);
  const unknown = lines.filter(({ key }) => !stored.has(rowOf.get(key)?.id ?? 0));
  const findAlike = (unknown.length > 0 && (await kind.findAlike?.(trx, unknown))) || (() => []);
  // Objects taken over by users may no longer be similar.
  const alikeOf = (line: ConfigLine): Alike[] =>
    (stored.has(releasedId(line)) ? [{ id: releasedId(line), name: line.key, hasName: true }] : []).concat(
      findAlike(line),
    );
  const owners = new Map(
    (
      await readOwners(
        trx,
        kind.kind,
        null,
        unknown.flatMap(alikeOf).map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const taken = new Set(rows.map(({ id }) => id));
  const find = (line: ConfigLine): number | Conflict => {
    const row = rowOf.get(line.key);
    if (row !== undefined && row.source !== source)
      return conflictOf("{source} already has the key {key}", { source: row.source, key: line.key }, row);
    if (kind.idOf !== undefined) return releasedId(line) !== 0 && !line.adopt ? unowned(line.key) : kind.idOf(line);
    if (row !== undefined && stored.has(row.id)) return row.id;
    const alike = alikeOf(line).filter(({ id }) => !taken.has(id));
    const found = alike.find(({ hasName }) => hasName) ?? (line.adopt && source !== null ? alike[0] : undefined);
    if (found === undefined) return 0;
    const owner = owners.get(found.id);
    if (source === null || (line.adopt && owner === undefined)) return found.id;
    if (owner === undefined) return unowned(found.name);
    return line.adopt && owner.source !== source
      ? conflictOf("{source} already manages the object that this would take over", { source: owner.source }, owner)
      : 0;
  };

  const located: Located[] = [];
  const conflicts: ConfigOutcome[] = [];
  for (const line of lines) {
    const found = find(line);
    if (typeof found === "object") {
      conflicts.push({ kind: kind.kind, key: line.key, outcome: "conflict", place: line.place, ...found });
      continue;
    }
    taken.add(found);
    const id = found || (ids.get(kind.kind, line.key) ?? (generation === null ? -located.length - 1 : 0));
    located.push({ line, row: rowOf.get(line.key), id, before: null });
    ids.set(kind.kind, line.key, id);
  }
  const adopted = located.flatMap(({ id }) => (id > 0 && !stored.has(id) ? [id] : []));
  const all = new Map([...stored, ...(await kind.find(trx, adopted))]);
  return { located: located.map((one) => ({ ...one, before: all.get(one.id) ?? null })), conflicts };
}

const unowned = (name: string) =>
  conflictOf("{name} already exists and no source manages it: set adopt: true to take it over", { name });

const conflictOf = (message: Message, params: MessageParams, owner?: ManagedRow): Conflict => ({
  faults: [{ path: "", message, params }],
  ...(owner && { with: { source: owner.source, place: owner.place || undefined } }),
});

/** @throws AppError the first error of an entry, if the part is being applied */
async function planEach({ part: { source, generation }, kind, ids }: Work, located: readonly Located[]) {
  const turn = slices();
  const outcomes: ConfigOutcome[] = [];
  const written: Written<unknown, unknown>[] = [];
  const owned: Located[] = [];
  for (const one of located) {
    await turn();
    const { line, row, id, before } = one;
    const outcome = { kind: kind.kind, key: line.key, ...(before !== null && { id }) };
    // A document without a source uses existing objects unchanged.
    if (source === null && before !== null && kind.idOf === undefined) {
      outcomes.push({ ...outcome, outcome: "same" });
      continue;
    }
    const dropped = before === null || row === undefined ? [] : row.fields.filter((field) => !(field in line.fields));
    const planned = await kind.plan(line, before, dropped).catch(faultOf);
    if (planned instanceof AppError) {
      // Without a source, invalid entries are skipped.
      if (generation !== null && source !== null) throw planned;
      outcomes.push({ ...outcome, outcome: "fault", ...faultsOfEntry(planned) });
      ids.set(kind.kind, line.key, 0);
      continue;
    }
    const isNew = before === null && kind.idOf === undefined;
    if (planned === null || (before !== null && planned.changes.length === 0))
      outcomes.push({ ...outcome, outcome: "same" });
    else {
      outcomes.push({ ...outcome, outcome: isNew ? "create" : "update", changes: isNew ? [] : planned.changes });
      written.push({ line, id, before, dropped, next: planned.next });
    }
    const isOwned = isDeepStrictEqual(row && [row.id, row.place, row.fields], [
      id,
      line.place ?? "",
      ownedBy(line).fields,
    ]);
    if (source !== null && planned !== null && !isOwned) owned.push(one);
  }
  return { outcomes, written, owned };
}

function faultOf(thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code === "internal" || error.code === "unavailable") throw thrown;
  return error;
}

const faultsOfEntry = ({ code, key, params, details }: AppError): Pick<ConfigOutcome, "faults" | "isImpossible"> => ({
  faults: details.length > 0 ? [...details] : [{ path: "", message: key, params }],
  isImpossible: code !== "invalid",
});

/** Objects that are never deleted return their fields to the defaults. */
const removalOf = ({ kind, idOf }: AnyKind, { key, id, fields }: ManagedRow): ConfigOutcome =>
  idOf === undefined
    ? { kind, key, id, outcome: "remove" }
    : { kind, key, id, outcome: "update", changes: fields.map((path) => ({ path, from: undefined, to: null })) };

/** @param stored as stored, since changed secrets differ only there */
export function fieldChanges(
  stored: { before: object; after: object },
  shown: { before: object; after: object },
): FieldChange[] {
  const at = (of: object, path: string): unknown => (of as Record<string, unknown>)[path] ?? undefined;
  return [...new Set([...Object.keys(stored.before), ...Object.keys(stored.after)])].flatMap((path) =>
    isDeepStrictEqual(at(stored.before, path), at(stored.after, path))
      ? []
      : [{ path, from: at(shown.before, path), to: at(shown.after, path) }],
  );
}
