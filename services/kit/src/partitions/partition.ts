import type { Bus } from "../bus/connect.ts";
import { type BusMessage, followStream } from "../bus/follow.ts";
import { createQueue } from "../concurrency/limiter.ts";
import { type Database, isDatabaseAway } from "../postgres/database.ts";
import type { Clock } from "../time/clock.ts";
import type { Behaviour, StreamMark, TakeOver } from "./behaviour.ts";
import { applying, createRegistry, mostTogether, readFacts } from "./facts.ts";
import { createBusTime, createObservedSince } from "./observing.ts";
import type { OwnedPartition } from "./owners.ts";
import { createRetryPolicy, createSaving, endOf, readPosition } from "./saving.ts";

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
  /** A row was added, changed or deleted: it is read again. */
  reread(id: number): void;
};

/** Notes what of an item is to be kept; the newest of a key counts. `soon`: at the next save, however much there is. */
export type KeepChange<Change> = (key: string | number, change: Change, soon?: boolean) => void;

/**
 * Rebuilds the state of a partition from PostgreSQL and continues its stream after the last owner's position. A fact
 * that changes no row, the usual case, is applied in memory alone; rows change one at a time, and while PostgreSQL is
 * unavailable the partition waits. Rejects if PostgreSQL is unavailable at the start.
 */
export async function openPartition<Item extends { id: number }, Fact, Decision extends { ignored?: never }, Change>(
  { db, bus, clock, nudge }: PartitionContext,
  partition: number,
  behave: (keep: KeepChange<Change>) => Behaviour<Item, Fact, Decision, Change>,
): Promise<Partition<Item>> {
  const { log } = bus;
  const busTime = createBusTime(clock);
  const observed = createObservedSince(clock);
  const { persist, ...retry } = createRetryPolicy(log, partition, observed.interrupted);
  // Serialised: a reload never reads a row that a transition is changing.
  const exclusively = createQueue();
  const touched = new Set<number>();
  let stopped = false;
  let sweeping = false;
  let heard: { storedAtMs: number; elapsedMs: number } | undefined;

  const saving = createSaving<Change>(partition, clock);
  const service = behave(saving.keep);
  const { stream, subjects } = service;
  const items = createRegistry<Item>({
    // The first load may fail, for then the partition is not open yet; who opens it tries again while it is its own.
    load: (ids) => (ids === undefined ? service.load() : persist(() => service.load(ids))),
    onLoad(loaded, known, isFirst) {
      service.onLoad(loaded, known, isFirst);
      service.cap(loaded);
    },
    onGone: (id) => service.onGone?.(id),
  });

  const capAll = () => {
    for (const item of items.values()) service.cap(item);
  };
  /** What was seen before the clock was set back must not keep out what is seen after. */
  const noticeStep = () => {
    if (!busTime.steppedBack()) return;
    observed.interrupted();
    capAll();
  };

  /** Commits changes, and takes those into memory that were committed; answers which. */
  const commit = async (run: () => Promise<readonly (TakeOver | null)[]>): Promise<boolean[]> => {
    const takeOvers = await persist(run);
    if (takeOvers.some((takeOver) => takeOver !== null)) nudge();
    for (const takeOver of takeOvers) takeOver?.();
    return takeOvers.map((takeOver) => takeOver !== null);
  };

  const read = readFacts(bus, service, applying(service, items, commit), () => stopped);

  const onMessage = async (message: BusMessage): Promise<void> => {
    noticeStep();
    observed.received(message.storedAtMs);
    if (busTime.busSteppedBack(message.storedAtMs)) capAll();
    const storedAtMs = busTime.storedAtMs(message.storedAtMs);
    if (service.passed !== undefined) {
      await tellPassed(storedAtMs, true);
      service.heard?.(storedAtMs);
      heard = { storedAtMs, elapsedMs: clock.elapsedMs() };
    }
    await read(message, storedAtMs);
  };

  // The position first: another owner may continue meanwhile, and facts before a later position would be missing from
  // the rows read here.
  const position = await (service.readPosition?.() ?? readPosition(db, partition));
  await items.reload();
  const following = followStream(bus, {
    stream,
    subjects,
    from: position ?? "first",
    onMessage: (message) => exclusively(() => onMessage(message)),
  });
  const offReconnect = bus.onReconnect(observed.interrupted);

  /** Whether the whole stream was read: unread messages may belong to items that seem silent. */
  const isCaughtUp = async (): Promise<boolean> => {
    try {
      // While its disk is full JetStream keeps connections but stores nothing: no facts arrive.
      await bus.jsm.streams.info(stream);
      const read = following.position()?.sequence ?? 0;
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
  };

  const readTo = (): StreamMark | null => {
    const position = following.position();
    return position === null ? null : { stream: position.created, mark: endOf(position.sequence) };
  };
  /** Those whose time came, in order; one may have several that did. */
  const tellPassed = async (busMs: number, arrived: boolean): Promise<void> => {
    for (let stuck = 0; stuck < 2 && !stopped;) {
      const passed = service.passed?.(busMs, arrived).slice(0, mostTogether) ?? [];
      if (passed.length === 0) return;
      stuck = (await commitSilent(passed, readTo())) ? 0 : stuck + 1;
    }
  };
  const tellSilent = async (): Promise<void> => {
    noticeStep();
    if (service.passed !== undefined) {
      if (heard === undefined) return;
      const busMs = heard.storedAtMs + clock.elapsedMs() - heard.elapsedMs;
      if (service.passed(busMs, false).length > 0 && (await isCaughtUp())) await tellPassed(busMs, false);
      return;
    }
    const isSilent = (item: Item) => service.isSilent(item, observed.sinceMs());
    const silent = [...items.values()].filter(isSilent);
    if (silent.length === 0 || !(await isCaughtUp())) return;
    const read = readTo();
    for (let at = 0; at < silent.length && !stopped && !retry.waiting(); at += mostTogether) {
      await commitSilent(silent.slice(at, at + mostTogether).filter(isSilent), read);
    }
  };
  /** Whether any was committed. */
  const commitSilent = async (silent: readonly Item[], read: StreamMark | null): Promise<boolean> => {
    if (silent.length === 0) return false;
    try {
      const committed = await commit(() => service.tellSilent(silent, read));
      const left = silent.filter((_, index) => committed[index] !== true);
      if (left.length > 0) await items.reload(left.map(({ id }) => id));
      return left.length < silent.length;
    } catch (error) {
      if (stopped || isDatabaseAway(error)) throw error;
      let any = false;
      // One of them is at fault: alone it is found, and delays the incidents of no other.
      if (silent.length > 1) for (const item of silent) any = (await commitSilent([item], read)) || any;
      else log.error({ err: error, partition, id: silent[0]?.id }, "a silence could not be told");
      return any;
    }
  };

  const save = async (all: boolean): Promise<void> => {
    await service.beforeSave?.();
    await saving.save(service, following.position(), all);
  };

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
      if (!bus.connected() || service.canHear?.() === false) return observed.interrupted();
      if (retry.waiting() || sweeping) return;
      sweeping = true;
      exclusively(tellSilent)
        .catch((error: unknown) => log.warn({ err: error, partition }, "looking for what is silent failed"))
        .finally(() => (sweeping = false));
    },
    save: () => save(false),
    async stop() {
      stopped = true;
      retry.stop();
      offReconnect();
      await following.stop();
      await save(true).catch((error: unknown) =>
        log.warn({ err: error, partition }, "saving figures at the end failed"),
      );
    },
  };
}
