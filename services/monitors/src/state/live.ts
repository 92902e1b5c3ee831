import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { publishLive } from "@sonde/kit/bus/pack";
import {
  type MonitorCheckingSchema,
  type MonitorFigures,
  MonitorFiguresBatchSchema,
} from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";

/** The newest figures of every monitor, from whichever process owns it, and the way to publish one's own. */
export type LiveMonitors = {
  /** Undefined if none were published since this process started. */
  get(monitorId: number): MonitorFigures | undefined;
  /** Publishes within 200 ms; `now`: at once. */
  tell(figures: MonitorFigures, now: boolean): void;
  /** Settles when a check that began at or after the instant was applied, or the time is over. */
  checkedSince(monitorId: number, sinceMs: number, withinMs: number): Promise<void>;
  /** Publishes the progress of a manual check at once; it is not stored. */
  tellChecking(checking: MessageInitShape<typeof MonitorCheckingSchema>): void;
  forget(monitorId: number): void;
  stop(): void;
};

const batchMs = 200;

export function startLive(bus: Pick<Bus, "nc" | "connected" | "log">, clock: Clock = systemClock): LiveMonitors {
  const newest = new Map<number, MonitorFigures>();
  const waiting = new Map<number, Set<() => void>>();
  let queued = new Map<number, MonitorFigures>();
  let timer: NodeJS.Timeout | undefined;
  /** Marks our own messages, to skip them. The subject has no responder. */
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
    callback: (error, message) => {
      if (error) return bus.log.warn({ err: error }, "receiving live figures failed");
      if (message.reply === ourselves) return;
      try {
        for (const figures of fromBinary(MonitorFiguresBatchSchema, message.data).figures) absorb(figures);
      } catch (fault) {
        bus.log.warn({ err: fault }, "invalid live figures");
      }
    },
  });

  return {
    get: (monitorId) => newest.get(monitorId),
    tell: (figures, now) => {
      absorb(figures);
      queued.set(figures.monitorId, figures);
      if (now) flush();
      else timer ??= setTimeout(flush, batchMs);
    },
    checkedSince: (monitorId, sinceMs, withinMs) =>
      new Promise((resolve) => {
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
    tellChecking: (checking) => {
      publishLive(bus, {
        subject: subjects.liveMonitors,
        items: [checking],
        encode: (item) => toBinary(MonitorFiguresBatchSchema, create(MonitorFiguresBatchSchema, { checking: [item] })),
        reply: ourselves,
      });
    },
    forget: (monitorId) => void newest.delete(monitorId),
    stop: () => {
      flush();
      subscription.unsubscribe();
    },
  };
}

const encode = (figures: MonitorFigures) =>
  toBinary(MonitorFiguresBatchSchema, create(MonitorFiguresBatchSchema, { figures: [figures] }));

/** A check in the future was published before the clock was set back: whatever comes now is newer. */
function isOlder(figures: MonitorFigures, than: MonitorFigures, nowMs: number): boolean {
  if (figures.version !== than.version) return figures.version < than.version;
  const knownMs = than.lastCheckedAtMs ?? 0;
  return knownMs <= nowMs && (figures.lastCheckedAtMs ?? 0) < knownMs;
}
