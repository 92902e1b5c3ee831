import { isDatabaseAway } from "../postgres/database.ts";
import type { Arrival, Behaviour, TakeOver, ItemTransition } from "./behaviour.ts";
import type { Registry } from "./registry.ts";

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
  const commitOne = async ({
    item,
    fact,
    decision,
    arrival,
  }: ItemTransition<Item, Fact, Decision>): Promise<boolean> => {
    const [isDone = false] = await commit(async () => [await service.transition(item, fact, decision, arrival)]);
    return isDone;
  };

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
      const committed = isTransition && (await commitOne({ item, fact, decision, arrival }));
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
