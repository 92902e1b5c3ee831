import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets } from "@sonde/proto/streams";

export type Timelines = Service & {
  get(monitorId: number): MonitorTimeline | undefined;
  isDeleted(monitorId: number): boolean;
  /** Whether the bucket's initial content has been read. */
  isCurrent(): boolean;
};

type TimelineCalls = {
  /** Called for each tombstone, including those present at startup. */
  onDeleted(monitorId: number): void;
  /** Called for each monitor that must not store response bodies, including those present at startup. */
  onBodiless(monitorId: number): void;
};

/** Caches every monitor's timeline from the bucket `timelines`. A missing bucket deletes nothing. */
export function watchTimelines(bus: Bus, { onDeleted, onBodiless }: TimelineCalls): Timelines {
  const known = new Map<number, MonitorTimeline>();
  const deleted = new Set<number>();
  let isCurrent = false;
  const remove = (monitorId: number) => {
    known.delete(monitorId);
    deleted.add(monitorId);
    onDeleted(monitorId);
  };
  const following = watchBucket(bus, {
    bucket: buckets.timelines,
    onEntry: ({ key, value }) => {
      const timeline = read(value);
      if (timeline === null) return bus.log.error({ key }, "invalid timeline in its bucket");
      const { monitorId, revision } = timeline;
      if (deleted.has(monitorId) || (known.get(monitorId)?.revision ?? 0) >= revision) return;
      if (timeline.deleted) return remove(monitorId);
      known.set(monitorId, timeline);
      if (timeline.keepBody === false) onBodiless(monitorId);
    },
    // Tombstones are eventually purged; a purged key means the same.
    onDelete: (key) => /^\d+$/.test(key) && remove(Number(key)),
    onCurrent: () => (isCurrent = true),
  });
  return {
    get: (monitorId) => known.get(monitorId),
    isDeleted: (monitorId) => deleted.has(monitorId),
    isCurrent: () => isCurrent,
    stop: () => following.stop(),
  };
}

function read(value: Uint8Array): MonitorTimeline | null {
  try {
    return fromBinary(MonitorTimelineSchema, value);
  } catch {
    return null;
  }
}
