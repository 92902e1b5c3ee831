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
  /** A definition changed in this process: its owner here reads it at once. */
  reread(monitorId: number, revision: number): void;
};

/** `onLeft` is called when another process of the service left. */
type OwnersOptions = Omit<ResultsOwnerContext, "onFutureResult"> & { onLeft?: () => void };

/**
 * Works on this process's share of the partitions of RESULTS. For some seconds two processes may work on one; the
 * guards in `commitTransition` make that harmless.
 */
export function startOwners({ onLeft, ...given }: OwnersOptions): Owners {
  const ctx = { ...given, onFutureResult: warnOfFutureResults(given.bus.log, given.clock) };
  const open = (partition: number) => openPartition(ctx, partition);
  return ownAndReread({ ...given, group: "monitors", open, onLeft });
}

/** The same for PINGS. */
export const startHeartbeatOwners = (ctx: HeartbeatsContext): Owners =>
  ownAndReread({ ...ctx, group: "heartbeats", open: (partition) => openHeartbeats(ctx, partition) });

/** Owners that read a monitor again when its definition changed, here or in another process. */
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
