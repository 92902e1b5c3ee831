import { acknowledgeIncident } from "@sonde/domain/incidents/acknowledge";
import { createIncidentEvent, type TargetChange } from "@sonde/domain/incidents/store";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvents, type EventInit } from "@sonde/kit/postgres/outbox";
import { fill } from "@sonde/proto/http/fill";
import {
  alertSeverities,
  type AlertSeverity,
  type ExternalAlert,
  inboundBounds,
} from "@sonde/proto/http/monitors/inbound";
import { randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import { noteChanges } from "../groups/store.ts";
import { type DescribedMonitor, factsOf, incidents } from "../incidents/facts.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { alertersOf, lockMonitor } from "../monitors/store.ts";
import { transitions } from "../state/results.ts";
import { type AlertIncident, closeAlerts, openAlerts, writeAlerts } from "./store.ts";

/** Key of the incident that reports too many open alerts; no alert has an empty one. */
const excessKey = "";
const excess = "{max} alerts are open; further ones have no incident of their own";
/** That incident closes below this number, so that it does not open and close with each alert. */
const calmBelow = inboundBounds.open * 0.9;

type InboundContext = Pick<Context, "db" | "clock" | "nudge">;

/** A flood of alerts must leave connections for everything else. */
export function createReceiver(ctx: InboundContext) {
  const limiter = createLimiter<number>({
    perKey: 1,
    total: 3,
    waiting: 30,
    refusal: () => unavailable("monitors"),
  });
  return {
    receiveAlerts: ({ id, alerts }: { id: number; alerts: ExternalAlert[] }) =>
      limiter.run(id, () => receiveAlerts(ctx, id, alerts)),
  };
}

/** Alerts for a paused monitor are ignored. @throws AppError not_found */
async function receiveAlerts(ctx: InboundContext, id: number, alerts: readonly ExternalAlert[]) {
  // The last one of a key counts.
  const newest = [...new Map(alerts.map((alert) => [alert.key, alert])).values()];
  const keysOf = (action: ExternalAlert["action"]) =>
    newest.filter((alert) => alert.action === action).map(({ key }) => key);
  const isReceived = await changeAlerts(ctx, id, async (trx, monitor, atMs) => {
    await trx("heartbeats").where({ monitorId: id }).update({ receivedAtMs: atMs });
    const closed = await closeAlerts(trx, monitor, keysOf("resolved"), atMs);
    const open = await openAlerts(trx, id);
    for (const key of keysOf("acknowledged")) await acknowledge(trx, monitor, open.get(key)?.id, atMs);
    const firing = newest.filter(({ action }) => action === "firing");
    const room = inboundBounds.open - [...open.keys()].filter((key) => key !== excessKey).length;
    const added = firing.filter(({ key }) => !open.has(key));
    const written = [...firing.filter(({ key }) => open.has(key)), ...added.slice(0, room)];
    const ofExcess = excessAlert(added.slice(room), open.get(excessKey)?.severity);
    const opened = await writeAlerts(trx, monitor, [...written, ...ofExcess], atMs);
    const isCalm = ofExcess.length === 0 && inboundBounds.open - room + added.length < calmBelow;
    if (isCalm) closed.push(...(await closeAlerts(trx, monitor, [excessKey], atMs)));
    return { opened, closed };
  });
  return { stored: isReceived ? newest.length : 0 };
}

/** It is as severe as the worst alert that it stands for. */
function excessAlert(alerts: readonly ExternalAlert[], before: AlertSeverity | undefined): ExternalAlert[] {
  if (alerts.length === 0) return [];
  const known = new Set([...alerts.map(({ severity }) => severity), before]);
  const severity = alertSeverities.find((one) => known.has(one))!;
  const title = fill(excess, { max: inboundBounds.open });
  return [{ key: excessKey, action: "firing", title, severity, labels: {} }];
}

async function acknowledge(trx: Database, { name }: StoredMonitor, id: number | undefined, atMs: number) {
  if (id === undefined) return;
  // The holder of the address is as anonymous as that of a link.
  await acknowledgeIncident(trx, incidents.targets, { id: `m${id}`, by: name, isByLink: true }, atMs);
}

/** Closes alerts that their source no longer repeats. Returns their number. */
export async function closeUnrepeated(ctx: InboundContext, id: number, keys: readonly string[]): Promise<number> {
  let count = 0;
  await changeAlerts(ctx, id, async (trx, monitor, atMs) => {
    const closed = await closeAlerts(trx, monitor, keys, atMs);
    count = closed.length;
    return { opened: [], closed };
  });
  return count;
}

type Changed = { opened: AlertIncident[]; closed: AlertIncident[] };

/** Changes incidents, publishes them and updates the status in one transaction. Returns false for a paused monitor. */
async function changeAlerts(
  { db, clock, nudge }: InboundContext,
  id: number,
  change: (trx: Database, monitor: StoredMonitor, atMs: number) => Promise<Changed>,
): Promise<boolean> {
  const isActive = await db.transaction(async (trx) => {
    const monitor = await lockMonitor(trx, id);
    if (monitor.config.type !== "inbound") throw new AppError("not_found", "Monitor does not exist");
    if (monitor.status === "paused") return false;
    const atMs = Math.round(clock.now());
    const { opened, closed } = await change(trx, monitor, atMs);
    const described = opened.length === 0 ? monitor : { ...monitor, alertedBy: await alertersOf(trx, id) };
    const events = [...eventsOf(described, "opened", opened, atMs), ...eventsOf(described, "closed", closed, atMs)];
    const changed = await updateStatus(trx, monitor, atMs);
    await enqueueEvents(trx, [...events, ...changed]);
    return true;
  });
  if (isActive) nudge();
  return isActive;
}

function eventsOf(monitor: DescribedMonitor, change: TargetChange, some: readonly AlertIncident[], atMs: number) {
  const facts = factsOf(monitor);
  return some.map(({ row: { source }, incident }): EventInit => {
    const { severity = "", link = "", labels = {} } = source ?? {};
    return createIncidentEvent({ atMs, incident, change, facts: { ...facts, severity, link, labels } });
  });
}

/** Down while a critical alert is open. */
async function updateStatus(trx: Database, monitor: StoredMonitor, atMs: number): Promise<EventInit[]> {
  const { id, name, version, status: previousStatus } = monitor;
  const open = await openAlerts(trx, id);
  const status = [...open.values()].some(({ severity }) => severity === "critical") ? "down" : "up";
  if (status === previousStatus) return [];
  await trx("monitors").where({ id }).update({ status, statusSinceMs: atMs });
  await noteChanges(trx, [{ monitorId: id, atMs, previous: previousStatus, status, tags: monitor.tags }]);
  transitions.inc({ to: status });
  const value = { monitorId: id, name, change: "state", status, previousStatus, statusSinceMs: atMs };
  return [{ id: `m${id}:${version}:${randomUUID()}:${status}`, atMs, fact: { case: "monitor", value } }];
}
