import type { Bus } from "../bus/connect.ts";
import { type BusMessage, type Following, followStream, type Position } from "../bus/follow.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { type Database, isDatabaseUnavailable } from "../postgres/database.ts";
import type { Clock } from "../time/clock.ts";
import { type FactSource, maxBatchRows, readFacts } from "./facts.ts";
import type { Items } from "./items.ts";
import { createBusTime, createObservedSince } from "./observing.ts";
import type { OwnedPartition } from "./owners.ts";
import { createRetryPolicy, endOf, type StreamMark } from "./saving.ts";

export type PartitionContext = {
  db: Database;
  bus: Bus;
  clock: Clock;
  nudge(): void;
};

export type Partition<Item> = OwnedPartition & {
  get(id: number): Item | undefined;
  reread(id: number): void;
};

export type PartitionSource<Fact> = FactSource<Fact> & {
  partition: number;
  /** nats-server before 2.10 filters by the first only. */
  subjects: readonly string[];
};

/** Calls are serialised with each other and with reloads of items. */
type PartitionWork<Item extends { id: number }> = {
  items: Items<Item>;
  /** Read it before the rows, or they lack facts that another owner applies in between. */
  from: Position | null;
  /** If it rejects, the message is redelivered. */
  onMessage(message: BusMessage, storedAtMs: number): Promise<void>;
  /** Called every second. */
  findSilent(): Promise<void>;
  /** While false, silence means nothing. */
  canReceive?(): boolean;
  /** `all`: the partition is being released. */
  save(position: Position | null, all: boolean): Promise<void>;
};

/** Waits while PostgreSQL is unavailable. */
export function createOwner<Fact>({ bus, clock, nudge }: PartitionContext, source: PartitionSource<Fact>) {
  const { partition, stream, subjects } = source;
  const { log } = bus;
  const busTime = createBusTime(clock);
  const observed = createObservedSince(clock);
  const { persist, ...retry } = createRetryPolicy(log, partition, observed.interrupted);
  // A reload must not read a row that a transition is changing.
  const exclusively = createQueue();
  const touched = new Set<number>();
  let following: Following | undefined;
  let stopped = false;
  let sweeping = false;

  /** Wakes the outbox relay. Retried while PostgreSQL is unavailable, so `run` must be idempotent. */
  const commit = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const answer = await persist(run);
    nudge();
    return answer;
  };

  return {
    persist,
    commit,
    isStopped: () => stopped,
    /** Call `deadLetterInvalid` after applying the facts. */
    read: (message: BusMessage, storedAtMs: number) =>
      readFacts(bus, source, { message, storedAtMs, isStopped: () => stopped }),
    /** Epoch ms. Silence before that proves nothing. */
    observedSinceMs: observed.sinceMs,
    readTo(): StreamMark | null {
      const position = following?.position() ?? null;
      return position === null ? null : { stream: position.created, mark: endOf(position.sequence) };
    },
    /** Unread messages may belong to items that seem silent. */
    async isCaughtUp(): Promise<boolean> {
      try {
        // With a full disk, JetStream keeps connections open but stores nothing, so no facts arrive.
        await bus.jsm.streams.info(stream);
        const read = following?.position()?.sequence ?? 0;
        const newest = await Promise.all(
          subjects.map((subject) => bus.jsm.streams.getMessage(stream, { last_by_subj: subject })),
        );
        const unread = newest.filter((last) => last !== null).filter(({ seq }) => seq > read);
        if (unread.length === 0) return true;
        for (const { time } of unread) observed.received(time.getTime());
      } catch {
        observed.interrupted();
      }
      return false;
    },
    /**
     * An item that cannot be committed does not delay others. Returns whether any was committed.
     * @param commitSome resolves to whether each item was committed; rows of the others are reloaded
     */
    async commitSilence<Item extends { id: number }>(
      items: Items<Item>,
      silent: readonly Item[],
      commitSome: (some: readonly Item[]) => Promise<readonly boolean[]>,
      isStillSilent: (item: Item) => boolean = () => true,
    ): Promise<boolean> {
      const commitAll = async (some: readonly Item[]): Promise<boolean> => {
        if (some.length === 0) return false;
        try {
          const committed = await commitSome(some);
          const left = some.filter((_, index) => committed[index] !== true);
          if (left.length > 0) await items.reload(left.map(({ id }) => id));
          return left.length < some.length;
        } catch (error) {
          if (stopped || isDatabaseUnavailable(error)) throw error;
          let any = false;
          if (some.length > 1) for (const item of some) any = (await commitAll([item])) || any;
          else log.error({ err: error, partition, id: some[0]?.id }, "committing a silence failed");
          return any;
        }
      };
      let any = false;
      for (let from = 0; from < silent.length && !stopped; from += maxBatchRows) {
        any = (await commitAll(silent.slice(from, from + maxBatchRows).filter(isStillSilent))) || any;
      }
      return any;
    },

    async open<Item extends { id: number }>(work: PartitionWork<Item>): Promise<Partition<Item>> {
      const { items, from, onMessage, findSilent, canReceive = () => true, save } = work;
      /** Facts dated before the clock was set back must not outrank those after it. */
      const noticeStep = () => {
        if (!busTime.steppedBack()) return;
        observed.interrupted();
        items.capAll();
      };
      await items.reload();
      const opened = followStream(bus, {
        stream,
        subjects,
        from: from ?? "first",
        onMessage: (message) =>
          exclusively(async () => {
            noticeStep();
            observed.received(message.storedAtMs);
            if (busTime.busSteppedBack(message.storedAtMs)) items.capAll();
            await onMessage(message, busTime.storedAtMs(message.storedAtMs));
          }),
      });
      following = opened;
      const offReconnect = bus.onReconnect(observed.interrupted);

      return {
        get: items.get,
        reread(id) {
          if (items.isGone(id)) return;
          touched.add(id);
          if (touched.size > 1) return;
          exclusively(async () => {
            const ids = [...touched];
            touched.clear();
            await items.reload(ids);
          }).catch((error: unknown) => log.warn({ err: error, partition }, "reading the rows of a partition failed"));
        },
        sweep() {
          observed.tick();
          if (!bus.connected() || !canReceive()) return observed.interrupted();
          if (retry.waiting() || sweeping) return;
          sweeping = true;
          exclusively(async () => {
            noticeStep();
            await findSilent();
          })
            .catch((error: unknown) => log.warn({ err: error, partition }, "checking for silent items failed"))
            .finally(() => (sweeping = false));
        },
        save: () => save(opened.position(), false),
        async stop() {
          stopped = true;
          retry.stop();
          offReconnect();
          await opened.stop();
          await save(opened.position(), true).catch((error: unknown) =>
            log.warn({ err: error, partition }, "saving figures on shutdown failed"),
          );
        },
      };
    },
  };
}
