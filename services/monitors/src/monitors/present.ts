import { tenths } from "@sonde/kit/figures";
import { type FieldChange, fieldChanges } from "@sonde/domain/managed/apply";
import { ownersOf } from "@sonde/domain/managed/table";
import { slotAfter } from "@sonde/kit/time/slots";
import type { MonitorFigures } from "@sonde/proto/gen/events/v1/events";
import { type CheckType, isPassive } from "@sonde/proto/http/monitors/kinds";
import { type KnownMonitor, type MonitorStatus, sharedBy, splitInput } from "@sonde/proto/http/monitors/monitors";
import { defaultSlowChecks } from "@sonde/proto/http/monitors/slow";
import type { Context } from "../context.ts";
import { type GroupMaintenance, groupFactsOf } from "../groups/present.ts";
import { passiveFactsOf } from "../heartbeats/present.ts";
import { isStale } from "../state/stale.ts";
import { loadLocationStates } from "../state/store.ts";
import { partialOf } from "../opinions/suspicion.ts";
import { type LocationState, newestLocationState, recoveryOf } from "../state/tracked.ts";
import type { Definition, StoredMonitor } from "./monitor.ts";
import { findLongUnchecked } from "./store.ts";
import { shownCheck } from "./stored-check.ts";

type Reading = Pick<Context, "db" | "live" | "clock" | "secrets"> & { maintenance: GroupMaintenance };

export async function presentMonitor(ctx: Reading, monitor: StoredMonitor): Promise<KnownMonitor> {
  const [presented] = await presentMonitors(ctx, [monitor]);
  return presented!;
}

const instantOf = (ms: number) => new Date(ms).toISOString();

/** Uses the newest figures, stored or only published. */
export async function presentMonitors(ctx: Reading, monitors: readonly StoredMonitor[]): Promise<KnownMonitor[]> {
  const ids = monitors.map(({ id }) => id);
  const passive = monitors.filter(({ config }) => isPassive(config.type)).map(({ id }) => id);
  const nowMs = ctx.clock.now();
  const [stored, owners, passives, groups] = await Promise.all([
    loadLocationStates(ctx.db, monitors),
    ownersOf(ctx.db, "monitor", ids),
    passiveFactsOf(ctx, passive),
    groupFactsOf(
      ctx,
      monitors.filter(({ config }) => config.type === "group"),
      Math.round(nowMs),
    ),
  ]);
  return monitors.map((monitor) => {
    const figures = newestFigures(ctx, monitor, stored.get(monitor.id) ?? new Map(), nowMs);
    const group = groups.get(monitor.id);
    const passive = group ? { ofKind: group, dueAt: null, receivedAtMs: null } : passives.get(monitor.id);
    const {
      partial = [],
      recovery,
      responseTimeMs,
      lastCheckedAtMs = passive?.receivedAtMs ?? undefined,
      certificateExpiresAtMs,
      certificateIssuer,
      lastError,
    } = figures;
    const { id, target, status, intervalMs, activeSinceMs } = monitor;
    const nextSlot = () => (activeSinceMs === null ? null : instantOf(slotAfter(id, intervalMs, nowMs)));
    return {
      id,
      target,
      ...shownDefinition(monitor),
      interval: intervalMs / 60_000,
      ...passive?.ofKind,
      status,
      statusSince: instantOf(Math.min(monitor.statusSinceMs, nowMs)),
      flapping: monitor.flappingSinceMs !== null,
      responseTime: responseTimeMs === undefined ? null : tenths(responseTimeMs),
      lastCheckedAt: lastCheckedAtMs === undefined ? null : instantOf(Math.min(lastCheckedAtMs, nowMs)),
      nextCheckAt: passive === undefined ? nextSlot() : passive.dueAt,
      stale: passive === undefined && isStale(monitor, lastCheckedAtMs ?? null, nowMs),
      certificateExpiresAt: certificateExpiresAtMs === undefined ? undefined : instantOf(certificateExpiresAtMs),
      certificateIssuer,
      lastError,
      partial: partial.length === 0 ? undefined : partial,
      slow: monitor.slowSinceMs !== null,
      recovery,
      managed: owners.get(id),
      createdAt: instantOf(monitor.createdAtMs),
      updatedAt: instantOf(monitor.updatedAtMs),
    } as KnownMonitor;
  });
}

export const shownDefinition = (monitor: StoredMonitor) => ({
  ...ofItsKind(monitor.config.type, {
    invert: false,
    ...splitInput(monitor).shared,
    interval: monitor.intervalMs / 60_000,
    timeout: monitor.timeoutMs / 1_000,
    paused: monitor.status === "paused",
  }),
  ...shownCheck(monitor.config),
  confirm: monitor.confirm ?? undefined,
  slowAfter: monitor.slowAfter ?? undefined,
  slowChecks: monitor.slowAfter ? (monitor.slowChecks ?? defaultSlowChecks) : undefined,
});
const ofItsKind = <Fields extends object>(type: CheckType, fields: Fields): Fields =>
  sharedBy(type, fields as never) as unknown as Fields;

/** @param keyOf formats the id of a dependency */
export function changedFieldsOf(
  before: StoredMonitor,
  definition: Definition,
  paused: boolean,
  keyOf: (kind: string, id: number) => string | number = (_kind, id) => id,
): FieldChange[] {
  const after = { ...before, ...definition, status: paused ? "paused" : "pending" } as StoredMonitor;
  const [old, next] = [shownDefinition(before), shownDefinition(after)];
  const shown = (definition: typeof old) => ({
    ...definition,
    dependsOn: definition.dependsOn.map(({ type, id }) => `${type}:${keyOf(type, id)}`),
    ...("members" in definition && { members: definition.members.map((id) => keyOf("monitor", id)) }),
  });
  // Stored values reveal changed secrets; shown values include defaults of fields added after the monitor was stored.
  const stored = { before: { ...old, ...before.config }, after: { ...next, ...after.config } };
  return fieldChanges(stored, { before: shown(old), after: shown(next) });
}

type ShownFigures = Partial<
  Pick<
    MonitorFigures,
    "responseTimeMs" | "lastCheckedAtMs" | "certificateExpiresAtMs" | "certificateIssuer" | "lastError" | "partial"
  >
> & { recovery?: ReturnType<typeof recoveryOf> };

function newestFigures(
  { live }: Reading,
  monitor: StoredMonitor,
  locationStates: ReadonlyMap<string, LocationState>,
  nowMs: number,
): ShownFigures {
  const { id, figuresVersion, status } = monitor;
  const locationState = newestLocationState(locationStates.values());
  const published = live.get(id);
  if (isLiveNewer(published, figuresVersion, locationState?.checkedAtMs ?? null, nowMs)) {
    const { goodChecks: good, recoverAfter: of } = published;
    return { ...published, recovery: of === 0 ? undefined : { good, of } };
  }
  if (locationState === null) return {};
  const lastError = locationState.status === "down" ? locationState.error : undefined;
  const partial = partialOf(status, locationStates);
  return {
    ...locationState,
    lastCheckedAtMs: locationState.checkedAtMs,
    lastError,
    partial,
    recovery: recoveryOf(monitor, locationStates),
  };
}

/** True if published figures are newer than the newest stored check, which began at `storedAtMs` (`null`: none). */
export function isLiveNewer(
  published: MonitorFigures | undefined,
  figuresVersion: number,
  storedAtMs: number | null,
  nowMs: number,
): published is MonitorFigures {
  // A check stored before the clock was set back has a time in the future; figures published since are newer.
  const storedMs = storedAtMs === null ? 1 : storedAtMs > nowMs ? 0 : storedAtMs;
  return published !== undefined && published.version >= figuresVersion && (published.lastCheckedAtMs ?? 0) >= storedMs;
}

/** Uses the same arithmetic as each monitor's `stale`, so counts, filters and rows agree. */
export async function staleMonitors({
  db,
  live,
  clock,
}: Pick<Context, "db" | "live" | "clock">): Promise<Map<number, MonitorStatus>> {
  const nowMs = clock.now();
  const stale = new Map<number, MonitorStatus>();
  for (const { figuresVersion, lastCheckedAtMs, status, ...due } of await findLongUnchecked(db, nowMs)) {
    const published = live.get(due.id);
    const publishedMs =
      published !== undefined && published.version >= figuresVersion ? (published.lastCheckedAtMs ?? null) : null;
    const storedMs = lastCheckedAtMs === null || lastCheckedAtMs > nowMs ? null : lastCheckedAtMs;
    const checkedMs = Math.max(publishedMs ?? 0, storedMs ?? 0);
    if (isStale(due, checkedMs === 0 ? lastCheckedAtMs : checkedMs, nowMs)) stale.set(due.id, status);
  }
  return stale;
}
