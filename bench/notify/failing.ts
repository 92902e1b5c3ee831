import { create, toBinary } from "@bufbuild/protobuf";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { partitionOf, subjects } from "@sonde/proto/subjects";

/** Publishes results in place of a probe runner. */
export type Runner = {
  /** Publishes one result per monitor in as few messages as a runner would. Resolves when the bus has stored them. */
  report(monitorIds: readonly number[], status: "up" | "down"): Promise<void>;
  close(): Promise<void>;
};

/** Replaces the runner of the location `default`, so that the benchmark decides when results arrive. */
export async function startRunner(natsUrl: string): Promise<Runner> {
  const nc = await connect({ servers: natsUrl, name: "bench" });
  const js = jetstream(nc);
  return {
    async report(monitorIds, status) {
      const byPartition = Map.groupBy(monitorIds, partitionOf);
      await Promise.all(
        [...byPartition].map(([partition, ids]) => {
          const results = ids.map((monitorId) => resultOf(monitorId, status));
          const batch = create(ResultBatchSchema, { results });
          return js.publish(subjects.results(partition, "default"), toBinary(ResultBatchSchema, batch));
        }),
      );
    },
    close: () => nc.close(),
  };
}

function resultOf(monitorId: number, status: "up" | "down") {
  const nowMs = Date.now();
  const isDown = status === "down";
  return {
    monitorId,
    location: "default",
    slotMs: nowMs,
    startedAtMs: nowMs,
    status,
    statusCode: isDown ? 500 : 200,
    responseTimeMs: 12,
    timings: { totalMs: 12 },
    error: isDown ? { kind: "status", message: "Expected status 200, got 500" } : undefined,
    attempt: isDown ? 2 : 1,
    // Enough failures for the monitor to be down at once.
    failures: isDown ? 2 : 0,
    version: 1,
    runner: "bench",
  };
}
