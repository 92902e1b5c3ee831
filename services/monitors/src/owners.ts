import { fromBinary } from "@bufbuild/protobuf";
import { watchBucket } from "@sonde/kit/bus/follow";
import { ownPartitions } from "@sonde/kit/partitions/owners";
import type { Partition } from "@sonde/kit/partitions/partition";
import type { Service } from "@sonde/kit/service/lifecycle";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets } from "@sonde/proto/streams";
import { partitionOf } from "@sonde/proto/subjects";
import { type HeartbeatsContext, openHeartbeats } from "./heartbeats/partition.ts";
import { openPartition, type ResultsOwnerContext } from "./state/partition.ts";
import { warnOfFutureResults } from "./state/results.ts";

type Owners = Service & {
  /** For changes in this process; those of others arrive through the bucket `timelines`. */
  reread(monitorId: number, revision: number): void;
};

/** `onLeft` is called when another replica leaves. */
type OwnersOptions = Omit<ResultsOwnerContext, "onFutureResult"> & { onLeft?: () => void };

/**
 * Processes this replica's share of the partitions of RESULTS. Two replicas may process the same one for seconds; the
 * guards in `commitTransition` make that harmless.
 */
export function startOwners({ onLeft, ...given }: OwnersOptions): Owners {
  const ctx = { ...given, onFutureResult: warnOfFutureResults(given.bus.log, given.clock) };
  const open = (partition: number) => openPartition(ctx, partition);
  return ownAndReread({ ...given, group: "monitors", open, onLeft });
}

export const startHeartbeatOwners = (ctx: HeartbeatsContext): Owners =>
  ownAndReread({ ...ctx, group: "heartbeats", open: (partition) => openHeartbeats(ctx, partition) });

function ownAndReread<Item extends { id: number; revision: number }>(
  options: Pick<OwnersOptions, "bus" | "clock" | "onLeft"> & {
    group: "monitors" | "heartbeats";
    open: (partition: number) => Promise<Partition<Item>>;
  },
): Owners {
  const { bus } = options;
  const owners = ownPartitions(options);
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
