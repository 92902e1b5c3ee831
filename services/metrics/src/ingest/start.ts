import type { Bus } from "@sonde/kit/bus/connect";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Clock } from "@sonde/kit/time/clock";
import type { Log } from "@sonde/kit/service/log";
import { buckets, streams, type Bucket } from "@sonde/proto/streams";
import { startLoop } from "@sonde/kit/time/loop";
import { locationOfResults } from "@sonde/proto/subjects";
import { setTimeout as pause } from "node:timers/promises";
import type { Access } from "../clickhouse/access.ts";
import { correctedMs, correctMarks } from "../checks/correct.ts";
import { deleteBodies } from "../checks/evidence.ts";
import { deleteOutputs } from "../pings/store.ts";
import { hourMs } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { deleteRowsOf, startDeletions } from "../timelines/deletion.ts";
import { type Timelines, watchTimelines } from "../timelines/timelines.ts";
import { type Intake, type Read, startIntake } from "./intake.ts";
import { createWriter } from "./write.ts";
import { type CheckRowBatch, readBatch } from "./batch.ts";

type ResultsOptions = {
  bus: Bus;
  clock: Clock;
  access: Access;
  maintenance: Pick<MaintenanceWatch, "at" | "spansOf" | "coveredWithin" | "isCurrent" | "onChange">;
  rawDays: number;
  log: Log;
};

export function startResults(
  options: ResultsOptions,
): Intake & { timelines: Pick<Timelines, "get" | "isDeleted" | "isCurrent"> } {
  const { bus, clock, access, maintenance, rawDays, log } = options;
  const deletions = startDeletions({ access, log, remove: deleteRowsOf("monitors") });
  const removeBodies = async (...args: Parameters<typeof deleteBodies>) => {
    await deleteBodies(...args);
    await deleteOutputs(...args);
  };
  const bodies = startDeletions({ access, log, remove: removeBodies });
  const timelines = watchTimelines(bus, { onDeleted: deletions.add, onBodiless: bodies.add });
  const isCheckedAt = (monitorId: number, location: string) => {
    const { spans = [] } = timelines.get(monitorId) ?? {};
    return spans.length === 0 || spans.some(({ locations }) => locations.includes(location));
  };
  const writer = createWriter({
    clock,
    isDeleted: timelines.isDeleted,
    keepsBody: (monitorId) => timelines.get(monitorId)?.keepBody ?? true,
    isInMaintenance: (monitorId, atMs) => maintenance.at("monitor", monitorId, atMs) !== undefined,
  });
  // Maintenance windows must be loaded before rows that arrived while this service was down are stored.
  const windowsRead = untilCurrent(bus, buckets.maintenance, maintenance.isCurrent);
  // Users wait for the first result of a definition. Later ones are less urgent.
  const versions = new Map<number, number>();
  const ingest = startIntake<CheckRowBatch & Read>({
    bus,
    stream: streams.results.name,
    read: (bytes, subject) => {
      const batch = readBatch(bytes, {
        nowMs: clock.now(),
        rawDays,
        location: locationOfResults(subject),
        isCheckedAt,
      });
      const first = batch.results.filter(({ monitorId, version }) => versions.get(monitorId) !== version);
      for (const { monitorId, version } of first) versions.set(monitorId, version);
      return { ...batch, rows: batch.results.length, news: batch.striking || first.length > 0 };
    },
    write: async (batches) => {
      await windowsRead;
      return access.write((client) => writer.write(client, batches));
    },
  });
  const roll = () =>
    access.write((client) => rollClosedHours(client, clock.now(), undefined, access.catchUp).finally(writer.forget));
  const rolling = startLoop({ work: "rolling up", log, everyMs: 30_000, run: roll });
  rolling.nudge();
  const correct = async () => {
    await windowsRead;
    const toMs = clock.now() + hourMs;
    const fromMs = toMs - correctedMs;
    const monitorIds = maintenance.coveredWithin("monitor", fromMs, toMs);
    const spansOf = (monitorId: number) => maintenance.spansOf("monitor", monitorId);
    await access.write((client) => correctMarks(client, { fromMs, toMs, monitorIds, spansOf }));
  };
  const correcting = startLoop({ work: "correcting maintenance marks", log, everyMs: 10 * 60_000, run: correct });
  correcting.nudge();
  maintenance.onChange(correcting.nudge);
  return {
    timelines,
    unavailable: ingest.unavailable,
    flushPending: ingest.flushPending,
    stop: async () => {
      await Promise.all([ingest.stop(), rolling.stop(), correcting.stop(), timelines.stop()]);
      await Promise.all([deletions.stop(), bodies.stop()]);
    },
  };
}

const maxWaitMs = 5_000;
const pollMs = 20;

/** Resolves when a watched bucket was read or does not exist; after a few seconds in any case. */
export async function untilCurrent(bus: Bus, bucket: Bucket, isCurrent: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + maxWaitMs;
  const exists = await bus.jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    () => false,
  );
  while (exists && !isCurrent() && performance.now() < deadlineMs) await pause(pollMs);
}
