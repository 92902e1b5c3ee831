import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKey, enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { RunnerKeySchema } from "@sonde/proto/gen/monitors/v1/runners";
import { buckets } from "@sonde/proto/streams";

type TokenRow = { id: number; hash: string; location: string; expiresAtMs: number; usedAtMs: number | null };
export type RunnerRow = {
  id: number;
  location: string;
  name: string;
  keyHash: string;
  revision: number;
  version: string;
  createdAtMs: number;
  lastSeenAtMs: number | null;
  revokedAtMs: number | null;
};

const dayMs = 24 * 3_600_000;

export async function insertToken(
  trx: Database,
  row: { hash: string; location: string; createdAtMs: number; expiresAtMs: number },
): Promise<void> {
  await trx("runner_tokens").insert(row);
}

/** Succeeds once under concurrent calls; `null` if the token cannot be used. */
export async function consumeToken(trx: Database, hash: string, nowMs: number): Promise<TokenRow | null> {
  const [row] = await trx<TokenRow>("runner_tokens")
    .where({ hash })
    .whereNull("usedAtMs")
    .where("expiresAtMs", ">", nowMs)
    .update({ usedAtMs: nowMs })
    .returning("*");
  return row ?? null;
}

export const findToken = (db: Database, hash: string): Promise<TokenRow | undefined> =>
  db<TokenRow>("runner_tokens").where({ hash }).first();

/** Ends unused tokens. @returns when the last of them would have expired; `null` if there are none */
export async function expireTokens(trx: Database, location: string, nowMs: number): Promise<number | null> {
  const open = trx<TokenRow>("runner_tokens")
    .where({ location })
    .whereNull("usedAtMs")
    .where("expiresAtMs", ">", nowMs);
  const last = await open.clone().max<{ ms: number | null }>("expiresAtMs as ms").first();
  await open.update({ expiresAtMs: nowMs });
  return last?.ms ?? null;
}

export async function insertRunner(
  trx: Database,
  row: Pick<RunnerRow, "location" | "name" | "version" | "keyHash" | "createdAtMs">,
): Promise<number> {
  const values = { ...row, revision: trx.raw("nextval('revisions')"), lastSeenAtMs: row.createdAtMs };
  const [inserted] = await trx("runners").insert(values).returning<{ id: number }[]>("id");
  await enqueueKey(trx, buckets.runners, row.keyHash);
  return inserted!.id;
}

/** Runners that are not revoked, up to a bound. */
export const activeRunners = (db: Database): Promise<RunnerRow[]> =>
  db<RunnerRow>("runners").whereNull("revokedAtMs").orderBy("id").limit(1_000);

export const findRunner = (db: Database, keyHash: string): Promise<RunnerRow | undefined> =>
  db<RunnerRow>("runners").where({ keyHash }).whereNull("revokedAtMs").first();

/** `undefined` if the location has no such runner. */
export async function revokeRunnerRow(
  trx: Database,
  { id, location }: { id: number; location: string },
  nowMs: number,
): Promise<RunnerRow | undefined> {
  const [row] = await trx<RunnerRow>("runners")
    .where({ id, location })
    .whereNull("revokedAtMs")
    .update({ revokedAtMs: nowMs, revision: trx.raw("nextval('revisions')") })
    .returning("*");
  if (row !== undefined) await enqueueKey(trx, buckets.runners, row.keyHash);
  return row;
}

export async function noteVersion(db: Database, id: number, version: string, nowMs: number): Promise<void> {
  await db<RunnerRow>("runners").where({ id }).update({ version, lastSeenAtMs: nowMs });
}

/** Writes at most once a minute for each runner, whichever replica notices. */
export async function noteSeen(db: Database, ids: readonly number[], nowMs: number): Promise<void> {
  await db("runners")
    .whereRaw("id = any(?)", [[...ids]])
    .where("lastSeenAtMs", "<", nowMs - 60_000)
    .update({ lastSeenAtMs: nowMs });
}

/** Open tokens by location. */
export async function openTokens(db: Database, nowMs: number): Promise<Map<string, number>> {
  const rows = await db("runner_tokens")
    .whereNull("usedAtMs")
    .where("expiresAtMs", ">", nowMs)
    .groupBy("location")
    .select<{ location: string; count: number }[]>("location", db.raw("count(*)::integer as count"));
  return new Map(rows.map(({ location, count }) => [location, count]));
}

/** Locations that have, had or await remote runners. */
export async function remoteLocations(db: Database): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { location: string }[] }>(
    "select location from runners union select location from runner_tokens",
  );
  return new Set(rows.map(({ location }) => location));
}

/** Revoked keys are kept for a day, until every gateway has seen them. */
export const purgeRunners = (db: Database, nowMs: number): Promise<void> =>
  db.transaction(async (trx) => {
    await trx("runner_tokens")
      .where("expiresAtMs", "<", nowMs - dayMs)
      .delete();
    const hashes = await trx("runners")
      .where("revokedAtMs", "<", nowMs - dayMs)
      .delete()
      .returning<{ keyHash: string }[]>("keyHash");
    await enqueueKeys(
      trx,
      hashes.map(({ keyHash }) => ({ bucket: buckets.runners, key: keyHash })),
    );
  });

/** Bucket `runners`. A revoked key has a tombstone as long as its row exists. */
export const runnersProjection = (db: Database): Projection => ({
  read: async (hashes) => {
    const rows = await db<RunnerRow>("runners").whereRaw("key_hash = any(?)", [[...hashes]]);
    return new Map(rows.map((row) => [row.keyHash, { revision: row.revision, value: encode(row) }]));
  },
  revisionOf: (value) => fromBinary(RunnerKeySchema, value).revision,
  keys: async () => {
    const rows = await db<RunnerRow>("runners").select("keyHash", "revision");
    return rows.map(({ keyHash, revision }) => ({ key: keyHash, revision }));
  },
});

function encode({ id, location, revision, revokedAtMs }: RunnerRow): Uint8Array {
  const key = { runnerId: id, location, revision, deleted: revokedAtMs !== null };
  return toBinary(RunnerKeySchema, create(RunnerKeySchema, key));
}
