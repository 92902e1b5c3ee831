import type { Bus } from "../bus/connect.ts";
import { putAside } from "../bus/dead-letters.ts";
import type { BusMessage } from "../bus/follow.ts";
import { slices } from "../concurrency/slices.ts";
import { isDatabaseAway } from "../postgres/database.ts";
import type { Arrival, Behaviour, ItemTransition, TakeOver } from "./behaviour.ts";
import { markOf } from "./saving.ts";

/** The number of facts applied before yielding to the event loop. */
const factsInOneGo = 8;

/**
 * Reads a message's facts and applies them in order, the good ones even if others are faulty; the faulty ones are
 * dead-lettered once, with the first reason. Rejects if the message must be delivered again: PostgreSQL or the bus is
 * unavailable, or the partition is left.
 */
export function readFacts<Fact>(
  bus: Bus,
  { service, stream, factName, parse, faultOf, idOf }: FactReader<Fact>,
  open: (refuse: OnRefused<Fact>) => Applying<Fact>,
  isStopped: () => boolean,
): (message: BusMessage, storedAtMs: number) => Promise<void> {
  const parsed = (bytes: Uint8Array): readonly Fact[] | null => {
    try {
      return parse(bytes);
    } catch {
      return null;
    }
  };
  return async (message, storedAtMs) => {
    const facts = parsed(message.data);
    const faults = facts === null ? [`not a batch of ${factName}s`] : [];
    const refuse = (fact: Fact, error: unknown) => {
      if (isStopped() || isDatabaseAway(error)) throw error;
      bus.log.error({ err: error, id: idOf(fact) }, `a ${factName} could not be applied`);
      faults.push(`${factName} ${facts?.indexOf(fact)} of ${idOf(fact)}: ${String(error)}`);
    };
    const { apply, finish } = open(refuse);
    const pause = slices();
    for (const [index, fact] of (facts ?? []).entries()) {
      if (index % factsInOneGo === factsInOneGo - 1) await pause();
      const fault = faultOf(fact, message.subject);
      if (fault !== null) {
        faults.push(`${factName} ${index}: ${fault}`);
        continue;
      }
      try {
        const slow = apply(fact, { storedAtMs, stream: message.created, mark: markOf(message.sequence, index) });
        if (slow !== undefined) await slow;
      } catch (error) {
        refuse(fact, error);
      }
    }
    await finish();
    const [first] = faults;
    if (first === undefined) return;
    const reason = faults.length === 1 ? first : `${first}; and ${faults.length - 1} more`;
    await putAside(bus, { stream, service, reason, message });
  };
}

type FactReader<Fact> = Pick<
  Behaviour<never, Fact, never, never>,
  "service" | "stream" | "factName" | "parse" | "faultOf" | "idOf"
>;

/** Applies the facts of one message. */
export type Applying<Fact> = {
  /** Applies a fact; a promise where that takes longer than memory does. */
  apply(fact: Fact, arrival: Arrival): Promise<void> | undefined;
  /** Commits what waits to be committed together. Call it after the message's last fact. */
  finish(): Promise<void>;
};

/** Called with a fact that could not be applied, and the reason; it may throw. */
export type OnRefused<Fact> = (fact: Fact, error: unknown) => void;

/** The most rows changed in one transaction: building the statements takes some milliseconds. */
export const mostTogether = 200;

/**
 * Applies facts one after the other: in memory alone where no row changes, which is nearly always, and then without a
 * promise; else in a transaction, which may find that the row is not what was assumed. Where the service can change many
 * rows at once, those of a message wait for one another: when a whole fleet comes back, each agent has one.
 */
export function applying<Item extends { id: number }, Fact, Decision extends { ignored?: never }, Change>(
  service: Behaviour<Item, Fact, Decision, Change>,
  items: Registry<Item>,
  commit: (run: () => Promise<readonly (TakeOver | null)[]>) => Promise<boolean[]>,
): (refuse: OnRefused<Fact>) => Applying<Fact> {
  const slowly = async (fact: Fact, arrival: Arrival): Promise<void> => {
    const id = service.idOf(fact);
    const known = items.get(id);
    const isOutdated = known === undefined || service.isOutdated?.(known, fact) === true;
    if (isOutdated && !items.isGone(id)) await items.reload([id]);
    for (let attempt = 1; ; attempt++) {
      const item = items.get(id);
      if (item === undefined) return service.ignore(fact, "deleted", arrival);
      const decision = service.decide(item, fact, arrival);
      if (decision.ignored !== undefined) return service.ignore(fact, decision.ignored, arrival);
      const isTransition = service.isTransition(item, decision, arrival);
      const [committed = false] = isTransition
        ? await commit(async () => [await service.transition(item, fact, decision, arrival)])
        : [];
      if (committed || !isTransition || attempt > 1) return service.take(item, fact, decision, committed);
      // The row was not what we thought: look again, once. What then still is not ours to change stays.
      await items.reload([id]);
    }
  };

  /** Takes those that were committed; answers the others, which are to be looked at one by one. */
  const commitAll = async (all: readonly ItemTransition<Item, Fact, Decision>[]) => {
    const committed = await commit(async () => (await service.transitions?.(all)) ?? []).catch((error: unknown) => {
      // One of them is at fault: alone it is found.
      if (isDatabaseAway(error)) throw error;
      return [];
    });
    return all.filter(({ item, fact, decision }, index) => {
      if (committed[index] !== true) return true;
      service.take(item, fact, decision, true);
      return false;
    });
  };

  return (refuse) => {
    const waiting = new Map<number, ItemTransition<Item, Fact, Decision>>();
    const finish = async (): Promise<void> => {
      if (waiting.size === 0) return;
      const all = [...waiting.values()];
      waiting.clear();
      const left = await commitAll(all);
      if (left.length > 0) await items.reload(left.map(({ item }) => item.id));
      for (const { fact, arrival } of left) {
        await slowly(fact, arrival).catch((error: unknown) => refuse(fact, error));
      }
    };
    const apply = (fact: Fact, arrival: Arrival): Promise<void> | undefined => {
      const id = service.idOf(fact);
      // What follows is decided on what the one before left behind.
      if (waiting.has(id)) return finish().then(() => apply(fact, arrival));
      const item = items.get(id);
      if (item === undefined || service.isOutdated?.(item, fact) === true) return slowly(fact, arrival);
      const decision = service.decide(item, fact, arrival);
      if (decision.ignored !== undefined) service.ignore(fact, decision.ignored, arrival);
      else if (!service.isTransition(item, decision, arrival)) service.take(item, fact, decision, false);
      else if (service.transitions === undefined) return slowly(fact, arrival);
      else {
        waiting.set(id, { item, fact, decision, arrival });
        if (waiting.size === mostTogether) return finish();
      }
      return undefined;
    };
    return { apply, finish };
  };
}

/**
 * What the owner of a partition knows of each of its monitors or agents.
 * @param onLoad a row was read: what is known newer than it moves into it; `isFirst`: while all rows are read
 */
export function createRegistry<Item extends { id: number }>({
  load,
  onLoad,
  onGone,
}: {
  load(ids?: readonly number[]): Promise<Item[]>;
  onLoad(loaded: Item, known: Item | undefined, isFirst: boolean): void;
  onGone(id: number): void;
}) {
  const items = new Map<number, Item>();
  const gone = new Set<number>();
  return {
    get: (id: number): Item | undefined => items.get(id),
    /** It was deleted; its last facts may still arrive. Ids are never reused. */
    isGone: (id: number): boolean => gone.has(id),
    values: () => items.values(),
    /** Reloads the rows of these ids, or of all. Ids without a row are gone. */
    async reload(ids?: readonly number[]): Promise<void> {
      const found = new Set<number>();
      for (const loaded of await load(ids)) {
        found.add(loaded.id);
        const known = items.get(loaded.id);
        items.set(loaded.id, loaded);
        onLoad(loaded, known, ids === undefined);
      }
      for (const id of ids ?? []) {
        if (found.has(id)) continue;
        items.delete(id);
        gone.add(id);
        onGone(id);
      }
    },
  };
}

export type Registry<Item extends { id: number }> = ReturnType<typeof createRegistry<Item>>;
