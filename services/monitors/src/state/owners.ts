import { fromBinary } from "@bufbuild/protobuf";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { ownPartitions } from "@sonde/kit/partitions/owners";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets } from "@sonde/proto/streams";
import { partitionOf } from "@sonde/proto/subjects";
import { warnOfFutureResults } from "./future-results.ts";
import { type ResultsOwnerContext, openPartition } from "./partition.ts";

type Owners = Service & {
  /** A definition changed in this process: its owner here checks it at once. */
  reread(monitorId: number, revision: number): void;
};

/** `onLeft` is called when another process of the service left. */
type OwnersOptions = Omit<ResultsOwnerContext, "onFutureResult"> & { onLeft?: () => void };

/**
 * Works on this process's share of the partitions of RESULTS. For some seconds two processes may work on one; the
 * guards in `commitTransition` make that harmless.
 */
export function startOwners({ onLeft, ...given }: OwnersOptions): Owners {
  const { bus, clock } = given;
  const ctx = { ...given, onFutureResult: warnOfFutureResults(bus.log, clock) };
  const open = (partition: number) => openPartition(ctx, partition);
  const owners = ownPartitions({ bus, clock, group: "monitors", open, onLeft });
  const reread = (monitorId: number, revision: number) => {
    const partition = owners.get(partitionOf(monitorId));
    if ((partition?.get(monitorId)?.revision ?? -1) < revision) partition?.reread(monitorId);
  };
  const watching = watchBucket(bus, {
    bucket: buckets.timelines,
    onEntry: ({ key, value }) => {
      try {
        const { monitorId, revision } = fromBinary(MonitorTimelineSchema, value);
        reread(monitorId, revision);
      } catch (error) {
        bus.log.warn({ err: error, key }, "invalid timeline in its bucket");
      }
    },
  });
  return {
    reread,
    async stop() {
      await watching.stop();
      await owners.stop();
    },
  };
}
