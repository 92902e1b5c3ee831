import type { Bus } from "../bus/connect.ts";
import { type BusMessage, type Following, followStream, type Position } from "../bus/follow.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { type Database, isDatabaseUnavailable } from "../postgres/database.ts";
import type { Clock } from "../time/clock.ts";
import { type FactSource, maxTogether, readFacts } from "./facts.ts";
import type { Items } from "./items.ts";
import { createBusTime, createObservedSince } from "./observing.ts";
import type { OwnedPartition } from "./owners.ts";
import { createRetryPolicy, endOf, type StreamMark } from "./saving.ts";

export type PartitionContext = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Something was committed. */
  nudge(): void;
};

/** One partition of a stream while this process owns it. */
export type Partition<Item> = OwnedPartition & {
  get(id: number): Item | undefined;
  /** A row was added, changed or deleted: it is reloaded. */
  reread(id: number): void;
};

/** One partition of a stream. */
export type PartitionSource<Fact> = FactSource<Fact> & {
  partition: number;
  /** Those of the partition. A nats-server before 2.10 reads the first only. */
  subjects: readonly string[];
};

/** What a service does with its partition. The calls run one after the other, never while an item is reloaded. */
type PartitionWork<Item extends { id: number }> = {
  items: Items<Item>;
  /**
   * Where the last owner was. Read it before the rows: facts that another owner takes in between would be missing from
   * them.
   */
  from: Position | null;
  /** `storedAtMs` is by the bus's clock. If it rejects, the message is delivered again. */
  onMessage(message: BusMessage, storedAtMs: number): Promise<void>;
  /** Looks for items whose facts are missing; called each second. */
  findSilent(): Promise<void>;
  /** False while facts cannot reach the stream: silence means nothing then. */
  canHear?(): boolean;
  /** Saves memory and position. `all`: the partition is left. */
  save(position: Position | null, all: boolean): Promise<void>;
};

/**
 * Owns a partition of a stream: what a service's `openPartition` is built with. While PostgreSQL is unavailable the
 * partition waits.
 */
export function createOwner<Fact>({ bus, clock, nudge }: PartitionContext, source: PartitionSource<Fact>) {
  const { partition, stream, subjects } = source;
  const { log } = bus;
  const busTime = createBusTime(clock);
  const observed = createObservedSince(clock);
  const { persist, ...retry } = createRetryPolicy(log, partition, observed.interrupted);
  // Serialised: a reload never reads a row that a transition is changing.
  const exclusively = createQueue();
  const touched = new Set<number>();
  let following: Following | undefined;
  let stopped = false;
  let sweeping = false;

  /** Runs a transaction and wakes the outbox relay. Retried while PostgreSQL is unavailable, so it must be idempotent. */
  const commit = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const answer = await persist(run);
    nudge();
    return answer;
  };

  return {
    persist,
    commit,
    isStopped: () => stopped,
    /** Parses a message. Call `putAsideFaulty` once its facts were applied. */
    read: (message: BusMessage, storedAtMs: number) =>
      readFacts(bus, source, { message, storedAtMs, isStopped: () => stopped }),
    /** Since when this owner has read without a gap, epoch ms: silence before that proves nothing. */
    observedSinceMs: observed.sinceMs,
    /** The stream is known up to there; null before the first message. */
    readTo(): StreamMark | null {
      const position = following?.position() ?? null;
      return position === null ? null : { stream: position.created, mark: endOf(position.sequence) };
    },
    /** Whether the whole stream was read: unread messages may belong to items that seem silent. */
    async isCaughtUp(): Promise<boolean> {
      try {
        // While its disk is full JetStream keeps connections but stores nothing: no facts arrive.
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
     * Commits the silence of items, many together. An item that cannot be committed delays no other. Returns whether any
     * was committed.
     * @param commitSome resolves to whether each was committed; if not, its row is reloaded
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
          else log.error({ err: error, partition, id: some[0]?.id }, "a silence could not be committed");
          return any;
        }
      };
      let any = false;
      for (let from = 0; from < silent.length && !stopped; from += maxTogether) {
        any = (await commitAll(silent.slice(from, from + maxTogether).filter(isStillSilent))) || any;
      }
      return any;
    },

    /** Reads the rows and continues the stream. Rejects if PostgreSQL is unavailable. */
    async open<Item extends { id: number }>(work: PartitionWork<Item>): Promise<Partition<Item>> {
      const { items, from, onMessage, findSilent, canHear = () => true, save } = work;
      /** What was seen before the clock was set back must not keep out what is seen after. */
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
          if (!bus.connected() || !canHear()) return observed.interrupted();
          if (retry.waiting() || sweeping) return;
          sweeping = true;
          exclusively(async () => {
            noticeStep();
            await findSilent();
          })
            .catch((error: unknown) => log.warn({ err: error, partition }, "looking for what is silent failed"))
            .finally(() => (sweeping = false));
        },
        save: () => save(opened.position(), false),
        async stop() {
          stopped = true;
          retry.stop();
          offReconnect();
          await opened.stop();
          await save(opened.position(), true).catch((error: unknown) =>
            log.warn({ err: error, partition }, "saving figures at the end failed"),
          );
        },
      };
    },
  };
}
