import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { publishLive } from "@sonde/kit/bus/publish-live";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { slotAfter } from "@sonde/kit/time/slots";
import {
  type MonitorCheckingSchema,
  type MonitorFigures,
  MonitorFiguresBatchSchema,
  MonitorFiguresSchema,
} from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";
import { partialOf } from "../opinions/suspicion.ts";
import { newestLocationState, recoveryOf, type TrackedMonitor } from "./tracked.ts";

const batchMs = 200;

/** Keeps the newest figures of every monitor from all replicas, and publishes our own. */
export function startLive(bus: Pick<Bus, "nc" | "connected" | "log">, clock: Clock = systemClock) {
  const newest = new Map<number, MonitorFigures>();
  const waiting = new Map<number, Set<() => void>>();
  let queued = new Map<number, MonitorFigures>();
  let timer: NodeJS.Timeout | undefined;
  /** Reply subject that marks our own messages, which are skipped. Nothing responds to it. */
  const ourselves = `live.from.${crypto.randomUUID()}`;

  const absorb = (figures: MonitorFigures) => {
    const known = newest.get(figures.monitorId);
    if (known !== undefined && isOlder(figures, known, clock.now())) return;
    newest.set(figures.monitorId, figures);
    for (const look of waiting.get(figures.monitorId) ?? []) look();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (queued.size === 0) return;
    const items = [...queued.values()];
    queued = new Map();
    publishLive(bus, { subject: subjects.liveMonitors, items, encode, reply: ourselves });
  };
  const subscription = bus.nc.subscribe(subjects.liveMonitors, {
    callback: (failure, message) => {
      if (failure) return bus.log.warn({ err: failure }, "receiving live figures failed");
      if (message.reply === ourselves) return;
      try {
        for (const figures of fromBinary(MonitorFiguresBatchSchema, message.data).figures) absorb(figures);
      } catch (error) {
        bus.log.warn({ err: error }, "invalid live figures");
      }
    },
  });

  return {
    /** `undefined` if none were published since the start. */
    get: (monitorId: number): MonitorFigures | undefined => newest.get(monitorId),
    /** Publishes within 200 ms, or at once with `now`. */
    publish: (figures: MonitorFigures, now: boolean) => {
      absorb(figures);
      queued.set(figures.monitorId, figures);
      if (now) flush();
      else timer ??= setTimeout(flush, batchMs);
    },
    /** Resolves when a check that began at or after `sinceMs` was applied, or after `withinMs`. */
    checkedSince: (monitorId: number, sinceMs: number, withinMs: number) =>
      new Promise<void>((resolve) => {
        const looks = waiting.get(monitorId) ?? new Set();
        waiting.set(monitorId, looks);
        const end = () => {
          clearTimeout(tooLong);
          looks.delete(look);
          if (looks.size === 0) waiting.delete(monitorId);
          resolve();
        };
        const look = () => {
          if ((newest.get(monitorId)?.lastCheckedAtMs ?? 0) >= sinceMs) end();
        };
        const tooLong = setTimeout(end, withinMs);
        looks.add(look);
        look();
      }),
    /** Publishes the progress of a manual check at once, without storing it. */
    publishChecking: (checking: MessageInitShape<typeof MonitorCheckingSchema>) => {
      publishLive(bus, {
        subject: subjects.liveMonitors,
        items: [checking],
        encode: (item) => toBinary(MonitorFiguresBatchSchema, create(MonitorFiguresBatchSchema, { checking: [item] })),
        reply: ourselves,
      });
    },
    forget: (monitorId: number) => void newest.delete(monitorId),
    stop: () => {
      flush();
      subscription.unsubscribe();
    },
  };
}

export type LiveMonitors = ReturnType<typeof startLive>;

const encode = (figures: MonitorFigures) =>
  toBinary(MonitorFiguresBatchSchema, create(MonitorFiguresBatchSchema, { figures: [figures] }));

/** A time in the future was published before the clock was set back, so any other figures are newer. */
function isOlder(figures: MonitorFigures, than: MonitorFigures, nowMs: number): boolean {
  if (figures.version !== than.version) return figures.version < than.version;
  const knownMs = than.lastCheckedAtMs ?? 0;
  return knownMs <= nowMs && (figures.lastCheckedAtMs ?? 0) < knownMs;
}

export function figuresOf(monitor: TrackedMonitor, stale: boolean, nowMs: number): MonitorFigures {
  const newest = newestLocationState(monitor.locationStates.values());
  const recovery = recoveryOf(monitor, monitor.locationStates);
  return create(MonitorFiguresSchema, {
    monitorId: monitor.id,
    version: monitor.version,
    status: monitor.status,
    statusSinceMs: monitor.statusSinceMs,
    stale,
    flapping: monitor.flapping.isFlapping,
    responseTimeMs: newest?.responseTimeMs,
    lastCheckedAtMs: newest?.checkedAtMs,
    nextCheckAtMs: monitor.activeSinceMs === null ? undefined : slotAfter(monitor.id, monitor.intervalMs, nowMs),
    lastError: newest?.status === "down" ? newest.error : undefined,
    certificateExpiresAtMs: newest?.certificateExpiresAtMs,
    certificateIssuer: newest?.certificateIssuer,
    partial: partialOf(monitor.status, monitor.locationStates),
    slow: monitor.isSlow,
    goodChecks: recovery?.good,
    recoverAfter: recovery?.of,
  });
}
