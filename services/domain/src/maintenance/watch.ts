import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { type MaintenanceWindow, MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { buckets } from "@sonde/proto/streams";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { isMissing } from "@sonde/kit/bus/streams";
import { coveredBy, type MaintenanceSpan, shareTargets, spanAt, spansOf } from "./spans.ts";

/** Caches the bucket `maintenance`. Without it, nothing is in maintenance or silenced. */
export function watchMaintenance(bus: Bus) {
  const windows = new Map<number, MaintenanceWindow>();
  const silences = () =>
    windows.values().flatMap(({ silence }) => (silence === undefined ? [] : [{ occurrences: [silence] }]));
  const known = new Map<string, MaintenanceSpan[]>();
  const listeners: (() => void)[] = [];
  let isCurrent = false;
  const changed = () => {
    known.clear();
    for (const run of listeners) run();
  };
  const following = watchBucket(bus, {
    bucket: buckets.maintenance,
    mayBeMissing: true,
    onEntry: ({ key, value }) => {
      const window = read(value);
      if (window === null) return bus.log.error({ key }, "invalid maintenance window in its bucket");
      if ((windows.get(window.id)?.revision ?? 0) >= window.revision) return;
      windows.set(window.id, window);
      changed();
    },
    onDelete: (key) => {
      if (windows.delete(Number(key))) changed();
    },
    onCurrent: () => {
      isCurrent = true;
      changed();
    },
  });
  const spansIn = (kind: "maintenance" | "silence", type: TargetType, id: number): readonly MaintenanceSpan[] => {
    const key = `${kind} ${type}:${id}`;
    const found = known.get(key) ?? spansOf(kind === "silence" ? silences() : windows.values(), type, id);
    known.set(key, found);
    return found;
  };
  const spans = (type: TargetType, id: number) => spansIn("maintenance", type, id);
  return {
    /** Sorted and merged, including future ones. */
    spansOf: spans,
    at: (type: TargetType, id: number, atMs: number) => spanAt(spans(type, id), atMs),
    covered: (type: TargetType, atMs: number): ReadonlySet<number> => coveredBy(windows.values(), type, atMs, atMs),
    silencesOf: (type: TargetType, id: number) => spansIn("silence", type, id),
    /** Epoch ms; `undefined` if the target is not silenced. */
    silencedUntil: (type: TargetType, id: number, atMs: number): number | undefined =>
      spanAt(spansIn("silence", type, id), atMs)?.toMs,
    silenced: (type: TargetType, atMs: number): ReadonlySet<number> => coveredBy(silences(), type, atMs, atMs),
    /** In maintenance at any time in [from, to). */
    coveredWithin: (type: TargetType, fromMs: number, toMs: number): ReadonlySet<number> =>
      coveredBy(windows.values(), type, fromMs, toMs),
    /** Whether all entries of the bucket have been read. */
    isCurrent: () => isCurrent,
    /** Also runs when all entries of the bucket have been read. */
    onChange: (run: () => void) => void listeners.push(run),
    stop: () => following.stop(),
  };
}

export type MaintenanceWatch = ReturnType<typeof watchMaintenance>;

const lookMs = 50;
const maxMs = 10_000;

/** Waits until every window has been read; otherwise maintenance would be missed. Gives up after ten seconds. */
export async function waitForMaintenance(bus: Bus, maintenance: Pick<MaintenanceWatch, "isCurrent">): Promise<void> {
  const sinceMs = performance.now();
  const isWithoutBucket = () => bus.jsm.streams.info(`KV_${buckets.maintenance}`).then(() => false, isMissing);
  while (!maintenance.isCurrent() && performance.now() - sinceMs < maxMs) {
    if (await isWithoutBucket()) return;
    await sleep(lookMs);
  }
}

function read(value: Uint8Array): MaintenanceWindow | null {
  try {
    const window = fromBinary(MaintenanceWindowSchema, value);
    shareTargets(window);
    return window;
  } catch {
    return null;
  }
}
