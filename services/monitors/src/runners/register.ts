import about from "../../package.json" with { type: "json" };
import { record } from "@sonde/domain/audit";
import { runnerKeyHash } from "@sonde/domain/runner-keys";
import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import { locationKeys } from "@sonde/kit/secret-keys";
import {
  maxRunners,
  type registerRunnerInput,
  runnerProtocol,
  type runnerSettings,
} from "@sonde/proto/http/monitors/runners";
import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { monitorKeys } from "../monitors/projections.ts";
import * as store from "./store.ts";

type Ctx = Pick<Context, "db" | "clock" | "runners" | "nudge">;
type Settings = z.infer<typeof runnerSettings>;
type Program = Pick<z.infer<typeof registerRunnerInput>, "version" | "protocol">;

const tokenMs = 24 * 3_600_000;
const newSecret = () => randomBytes(32).toString("base64url");

/**
 * Creates a token that registers one runner of a location. It is returned only once.
 * @throws AppError impossible
 */
export async function createRunnerToken(
  { db, clock, runners, nudge }: Ctx,
  { location }: { location: string },
): Promise<{ token: string; expiresAt: string }> {
  const reason = runners.unsupported();
  if (reason !== null) throw new AppError("impossible", reason);
  const token = newSecret();
  const nowMs = clock.now();
  const expiresAtMs = nowMs + tokenMs;
  await db.transaction(async (trx) => {
    const [active, open] = await Promise.all([store.activeRunners(trx), store.openTokens(trx, nowMs)]);
    const total = [...open.values()].reduce((sum, count) => sum + count, active.length);
    if (total >= maxRunners)
      throw new AppError("impossible", "There can be at most {max} remote probe runners", {
        params: { max: maxRunners },
      });
    const isNew = !(await store.remoteLocations(trx)).has(location);
    await store.insertToken(trx, { hash: runnerKeyHash(token), location, createdAtMs: nowMs, expiresAtMs });
    if (isNew) await rewriteDefinitions(trx, location);
    const target = { type: "location", id: location, name: location } as const;
    await record(trx, "monitors", { action: "create", target });
  });
  nudge();
  return { token, expiresAt: new Date(expiresAtMs).toISOString() };
}

/**
 * Exchanges a token for a runner's key, which is returned only once.
 * @throws AppError unauthenticated, impossible
 */
export async function registerRunner(
  { db, clock, runners, nudge }: Ctx,
  { token, name, version, protocol }: z.infer<typeof registerRunnerInput>,
): Promise<Settings & { key: string }> {
  refuseProtocol(protocol);
  const nowMs = clock.now();
  const key = newSecret();
  const { location, runnerId } = await db.transaction(async (trx) => {
    const used = await store.consumeToken(trx, runnerKeyHash(token), nowMs);
    if (used === null) throw await refusal(trx, token);
    const facts = { location: used.location, name, version, keyHash: runnerKeyHash(key), createdAtMs: nowMs };
    const id = await store.insertRunner(trx, facts);
    const target = { type: "location", id: used.location, name: used.location } as const;
    await record(trx, "monitors", { action: "register", target, by: { username: name }, after: { name } });
    return { location: used.location, runnerId: id };
  });
  nudge();
  return { key, ...settings(runners, runnerId, location) };
}

async function refusal(trx: Context["db"], token: string): Promise<AppError> {
  const stored = await store.findToken(trx, runnerKeyHash(token));
  if (stored === undefined) return new AppError("unauthenticated", "The registration token is not valid");
  return stored.usedAtMs === null
    ? new AppError("unauthenticated", "The registration token has expired")
    : new AppError("unauthenticated", "The registration token has already been used");
}

/**
 * Returns the settings with which a registered runner starts.
 * @throws AppError unauthenticated if the key was revoked or never existed; impossible
 */
export async function startRunner(
  { db, clock, runners }: Ctx,
  { key, version, protocol }: Program & { key: string },
): Promise<Settings> {
  const row = await store.findRunner(db, runnerKeyHash(key));
  if (row === undefined) throw new AppError("unauthenticated", "The probe runner was revoked, or its key is not valid");
  refuseProtocol(protocol);
  await store.noteVersion(db, row.id, version, clock.now());
  return settings(runners, row.id, row.location);
}

function refuseProtocol(protocol: number): void {
  if (protocol === runnerProtocol) return;
  const message = "This probe runner does not fit this version of Sonde: install the runner of Sonde {version}";
  throw new AppError("impossible", message, { params: { version: about.version } });
}

const settings = ({ checkKeys }: Ctx["runners"], runnerId: number, location: string): Settings => ({
  runnerId,
  location,
  keys: locationKeys(checkKeys, location),
  version: about.version,
});

/** Ends the unused tokens of a location. @throws AppError not_found */
export async function revokeRunnerTokens(
  { db, clock }: Ctx,
  { location }: { location: string },
): Promise<Record<string, never>> {
  await db.transaction(async (trx) => {
    const expiresAtMs = await store.expireTokens(trx, location, clock.now());
    if (expiresAtMs === null) throw new AppError("not_found", "The location has no unused token");
    const target = { type: "location", id: location, name: location } as const;
    const before = { expiresAt: new Date(expiresAtMs).toISOString() };
    await record(trx, "monitors", { action: "delete", target, before });
  });
  return {};
}

/** Ends a runner's connection and key. @throws AppError not_found */
export async function revokeRunner(
  { db, clock, nudge }: Ctx,
  { location, id }: { location: string; id: number },
): Promise<Record<string, never>> {
  await db.transaction(async (trx) => {
    const row = await store.revokeRunnerRow(trx, { id, location }, clock.now());
    if (row === undefined) throw new AppError("not_found", "The probe runner does not exist, or was already revoked");
    const target = { type: "location", id: location, name: location } as const;
    await record(trx, "monitors", { action: "delete", target, before: { name: row.name } });
  });
  nudge();
  return {};
}

/** Rewrites all definitions of a location, because they will be sealed with another key. */
async function rewriteDefinitions(trx: Database, location: string): Promise<void> {
  const { rows } = await trx.raw<{ rows: { id: number; locations: string[] }[] }>(
    `update monitors set revision = nextval('revisions') where ? = any(locations) and deleted_at_ms is null
     returning id, locations`,
    [location],
  );
  await enqueueKeys(
    trx,
    rows.flatMap(({ id, locations }) => monitorKeys(id, locations)),
  );
}
