import { ownerGroup, partitions } from "@sonde/proto/subjects";
import type { Bus } from "../bus/connect.ts";
import type { Clock } from "../time/clock.ts";
import { startLoop } from "../time/loop.ts";
import { isDatabaseUnavailable } from "../postgres/database.ts";
import { joinGroup, type Membership } from "../sharding/group.ts";

export type OwnedPartition = {
  /** Called every second. */
  sweep(): void;
  save(): Promise<void>;
  stop(): Promise<void>;
};

export type PartitionOwnersOptions<Partition extends OwnedPartition> = {
  bus: Bus;
  clock: Clock;
  group: string;
  /** Retried while this process owns the partition. */
  open: (partition: number) => Promise<Partition>;
  saveMs?: number;
  onLeft?: () => void;
};

const lookMs = 1_000;
const leaveMs = 4_000;

/** Two processes may own a partition for some seconds, so their work must be idempotent. */
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

  const settle = (partition: number) => {
    if (moving.has(partition)) return;
    const wanted = !stopped && membership?.owns(partition, clock.now()) === true;
    if (wanted === open.has(partition)) return;
    const step = wanted ? take(partition) : release(partition);
    const done = step
      .catch((error: unknown) => {
        const text = isDatabaseUnavailable(error)
          ? "PostgreSQL is unreachable; a partition is waiting"
          : "opening or closing a partition failed";
        log.warn({ err: error, partition }, text);
      })
      .then(() => void moving.delete(partition));
    moving.set(partition, done);
  };
  const take = async (partition: number) => void open.set(partition, await openPartition(partition));
  const release = async (partition: number) => {
    const owned = open.get(partition);
    open.delete(partition);
    await owned?.stop();
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
    get: (partition: number): Partition | undefined => open.get(partition),
    async stop(): Promise<void> {
      stopped = true;
      for (const loop of loops) void loop.stop();
      await Promise.all(moving.values());
      await Promise.all([...open.values()].map((partition) => partition.stop()));
      open.clear();
      // Without the bus the group may not be joined yet; it is then left when the process ends.
      await Promise.race([
        joining.then(() => membership?.leave()),
        new Promise((resolve) => setTimeout(resolve, leaveMs)),
      ]);
    },
  };
}
