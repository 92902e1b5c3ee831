import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Bus, publishFact } from "@sonde/kit/bus/connect";
import { CheckResultSchema, type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { heartbeatLocation, subjects } from "@sonde/proto/subjects";
import type { RunOutcome, TrackedHeartbeat } from "./decide.ts";

const maxBatch = 200;
const collectMs = 200;

/** Collects one result row per expected ping for metrics, which ignores duplicates. */
export function createRows(bus: Bus, partition: number) {
  let waiting: CheckResult[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = async (): Promise<void> => {
    while (waiting.length > 0) {
      const results = waiting.slice(0, maxBatch);
      const bytes = toBinary(ResultBatchSchema, create(ResultBatchSchema, { results }));
      await publishFact(bus, subjects.results(partition, heartbeatLocation), bytes);
      waiting = waiting.slice(results.length);
    }
  };
  /** Resolves when all rows are stored. @throws while the bus is unavailable */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    return (sending = sending.catch(() => {}).then(send));
  };
  const add = (row: MessageInitShape<typeof CheckResultSchema>): void => {
    waiting.push(create(CheckResultSchema, row));
    timer ??= setTimeout(() => void flush().catch(() => {}), collectMs);
  };
  return {
    add(
      { id, version, state }: Pick<TrackedHeartbeat, "id" | "version" | "state">,
      { atMs, slotMs, durationMs, error }: RunOutcome,
    ): void {
      if (slotMs === null) return;
      const row = {
        monitorId: id,
        version,
        location: heartbeatLocation,
        slotMs,
        startedAtMs: atMs,
        status: error === undefined ? "up" : "down",
        responseTimeMs: durationMs ?? 0,
        timings: { totalMs: durationMs ?? 0 },
        attempt: 1,
        failures: state?.failures ?? 0,
        latenessMs: Math.max(0, atMs - slotMs),
        ...(error !== undefined && { error }),
      };
      add(row);
    },
    addUnseen: ({ id, version }: TrackedHeartbeat, slotMs: number): void =>
      add({
        monitorId: id,
        version,
        location: heartbeatLocation,
        slotMs,
        startedAtMs: slotMs,
        status: "unseen",
        attempt: 1,
      }),
    flush,
  };
}
