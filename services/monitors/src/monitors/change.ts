import type { MessageInitShape } from "@bufbuild/protobuf";
import { publishIncident } from "@sonde/kit/incidents/store";
import { enqueueEvent, enqueueKeys } from "@sonde/kit/postgres/outbox";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { Context } from "../context.ts";
import { factsOf } from "../incidents/facts.ts";
import { incidents } from "../incidents/store.ts";
import type { Definition, StoredMonitor } from "./monitor.ts";
import { nextState } from "./next-state.ts";
import { monitorKeys } from "./projections.ts";
import { insertMonitor, updateMonitor } from "./store.ts";
import { addSpan } from "./timeline-store.ts";

/** Runs a change as one transaction and, after the commit, notifies those who need to know. */
export async function committing<Answer extends { id: number; revision: number }>(
  { db, committed }: Pick<Context, "db" | "committed">,
  run: (trx: Database) => Promise<Answer>,
): Promise<Answer> {
  const answer = await orUnavailable(() => db.transaction(run));
  committed(answer.id, answer.revision);
  return answer;
}

/**
 * Writes a definition with all dependent rows: revision, version and state, due times of slots, the end of an open
 * incident, the event, and the keys that runners and metrics read.
 */
export async function writeMonitor(
  trx: Database,
  before: StoredMonitor | null,
  definition: Definition,
  paused: boolean,
  atMs: number,
): Promise<StoredMonitor> {
  const state = nextState(before, definition, paused, atMs);
  const monitor =
    before === null
      ? await insertMonitor(trx, definition, state)
      : await updateMonitor(trx, before.id, definition, state);
  if (state.newVersion) {
    await addSpan(trx, monitor, atMs);
    if (before !== null) await endIncidents(trx, monitor, paused ? "paused" : "edited", atMs);
  }
  await publishChange(trx, monitor, before === null ? "created" : "updated", before, atMs);
  return monitor;
}

/** Closes open incidents without alerts. */
export async function endIncidents(
  trx: Database,
  monitor: StoredMonitor,
  resolution: IncidentResolution,
  atMs: number,
): Promise<void> {
  for (const incident of await incidents.close(trx, monitor, "all", resolution, atMs)) {
    await publishIncident(trx, { atMs, change: "closed", incident, quiet: true, facts: factsOf(monitor) });
  }
}

export async function publishChange(
  trx: Database,
  monitor: StoredMonitor,
  change: Change,
  before: StoredMonitor | null,
  atMs: number,
): Promise<void> {
  await enqueueEvent(trx, changeEvent(monitor, change, before, atMs));
  await enqueueKeys(trx, monitorKeys(monitor.id, [...(before?.locations ?? []), ...monitor.locations]));
}

type Change = "created" | "updated" | "deleted";

/** The published event of a change. */
export function changeEvent(
  { id, name, version, revision, status, statusSinceMs }: StoredMonitor,
  change: Change,
  before: StoredMonitor | null,
  atMs: number,
): MessageInitShape<typeof EventSchema> {
  const value = { monitorId: id, name, change, status, previousStatus: before?.status ?? "", statusSinceMs };
  return { id: `m${id}:${version}:${revision}:${change}`, atMs, fact: { case: "monitor", value } };
}
