import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "@sonde/kit/time/clock";
import { createMarker } from "../rollups/marker.ts";
import type { SampleRows } from "./batch.ts";
import { insertSamples } from "./store.ts";

export type SampleWriter = {
  /** Rows first, then the marks of their hours; what was written twice counts once. Returns how many were stored. */
  write(client: ClickHouseClient, batches: readonly Pick<SampleRows, "samples">[]): Promise<number>;
  /** Marks were deleted: the next row marks its hour again. */
  forget(): void;
};

/** Writes blocks of samples, but for those of deleted agents. */
export function createSampleWriter({
  clock,
  isDeleted,
}: {
  clock: Clock;
  isDeleted: (agentId: number) => boolean;
}): SampleWriter {
  const marker = createMarker({ clock, table: "touched_sample_hours" });
  return {
    async write(client, batches) {
      const samples = batches.flatMap((batch) => batch.samples).filter(({ agentId }) => !isDeleted(agentId));
      if (samples.length === 0) return 0;
      await insertSamples(
        client,
        samples.map(({ row }) => row),
      );
      await marker.mark(
        client,
        samples.map((sample) => sample.hourMs),
      );
      return samples.length;
    },
    forget: marker.forget,
  };
}
