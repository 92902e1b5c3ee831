import { ownerGroup, partitions } from "@sonde/proto/subjects";
import type { Bus } from "../bus/connect.ts";
import type { Clock } from "../time/clock.ts";
import { startLoop } from "../time/loop.ts";
import { isDatabaseUnavailable } from "../postgres/database.ts";
import { joinGroup, type Membership } from "../sharding/group.ts";

/** One partition of a stream while this process owns it. */
export type OwnedPartition = {
  /** Looks for what is due though nothing came; called each second. */
  sweep(): void;
  /** Keeps what it knows and its position; called every `saveMs`. */
  save(): Promise<void>;
  stop(): Promise<void>;
};

export type PartitionOwnersOptions<Partition extends OwnedPartition> = {
  bus: Bus;
  clock: Clock;
  /** The service, whose processes share the partitions. */
  group: string;
  /** Rejects if PostgreSQL is unavailable; it is retried as long as the partition is ours. */
  open: (partition: number) => Promise<Partition>;
  saveMs?: number;
  /** Called when another process of the group left. */
  onLeft?: () => void;
};

const lookMs = 1_000;
const leaveMs = 4_000;

/**
 * Works on those partitions that rendezvous hashing gives to this process, as long as it does. For some seconds two
 * processes may work on one: what they do must be harmless twice.
 */
export function ownPartitions<Partition extends OwnedPartition>({
  bus,
  clock,
  group,
  open: openPartition,
  saveMs = 5_000,
  onLeft = () => {},
}: PartitionOwnersOptions<Partition>) {
  const { log } = bus;
  const open = new Map<number, Partition>();
  const moving = new Map<number, Promise<void>>();
  let membership: Membership | undefined;
  let stopped = false;

  /** Opens or closes a partition until it is as it should be; one step at a time. */
  const settle = (partition: number) => {
    if (moving.has(partition)) return;
    const wanted = !stopped && membership?.owns(partition, clock.now()) === true;
    if (wanted === open.has(partition)) return;
    const step = wanted ? take(partition) : release(partition);
    const done = step
      .catch((error: unknown) => {
        const text = isDatabaseUnavailable(error)
          ? "PostgreSQL is unreachable: a partition waits"
          : "a partition could not be opened or closed";
        log.warn({ err: error, partition }, text);
      })
      .then(() => void moving.delete(partition));
    moving.set(partition, done);
  };
  const take = async (partition: number) => void open.set(partition, await openPartition(partition));
  const release = async (partition: number) => {
    const held = open.get(partition);
    open.delete(partition);
    await held?.stop();
  };
  const look = () => {
    for (let partition = 0; partition < partitions; partition++) settle(partition);
  };

  const joining = joinGroup({ bus, group: ownerGroup(group), log }).then((joined) => {
    membership = joined;
    joined.onChange((change) => {
      look();
      if (change.effective && (change.reason === "left" || change.reason === "gone")) onLeft();
    });
    look();
  });
  joining.catch((error: unknown) => log.error({ err: error }, "joining the group of partition owners failed"));

  const tick = () => {
    look();
    for (const partition of open.values()) partition.sweep();
  };
  const saveAll = () => {
    for (const [number, partition] of open) {
      partition
        .save()
        .catch((error: unknown) => log.warn({ err: error, partition: number }, "saving figures failed; retrying"));
    }
  };
  const loops = [
    startLoop({ work: `partitions of ${group}`, log, everyMs: lookMs, run: tick }),
    startLoop({ work: `saving of ${group}`, log, everyMs: saveMs, run: saveAll }),
  ];

  return {
    /** The partition, where this process works on it. */
    get: (partition: number): Partition | undefined => open.get(partition),
    async stop(): Promise<void> {
      stopped = true;
      for (const loop of loops) void loop.stop();
      await Promise.all(moving.values());
      await Promise.all([...open.values()].map((partition) => partition.stop()));
      open.clear();
      // A group that is not joined by now, because the bus is unavailable, is left when this process ends.
      await Promise.race([
        joining.then(() => membership?.leave()),
        new Promise((resolve) => setTimeout(resolve, leaveMs)),
      ]);
    },
  };
}
