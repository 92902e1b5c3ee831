import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { streams } from "@sonde/proto/streams";
import { locationOfResults } from "@sonde/proto/subjects";
import { type CheckRowBatch, readBatch } from "./batch.ts";
import { type Intake, type Read, startIntake } from "./intake.ts";

export type IngestOptions = {
  bus: Bus;
  clock: Clock;
  rawDays: number;
  /** Stores what is not stored yet; rejects while ClickHouse is unavailable. Returns how many rows were stored. */
  write: (batches: readonly CheckRowBatch[]) => Promise<number>;
};

/** From RESULTS into ClickHouse. */
export function startIngest({ bus, clock, rawDays, write }: IngestOptions): Intake {
  // Users wait for the first result of a definition; later ones are less urgent.
  const versions = new Map<number, number>();
  return startIntake<CheckRowBatch & Read>({
    bus,
    stream: streams.results.name,
    read: (bytes, subject) => {
      const batch = readBatch(bytes, { nowMs: clock.now(), rawDays, location: locationOfResults(subject) });
      const first = batch.results.filter(({ monitorId, version }) => versions.get(monitorId) !== version);
      for (const { monitorId, version } of first) versions.set(monitorId, version);
      return { ...batch, rows: batch.results.length, news: batch.striking || first.length > 0 };
    },
    write,
  });
}
