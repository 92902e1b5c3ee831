import type { Arrival, Behaviour, Commit } from "./behaviour.ts";
import type { Registry } from "./registry.ts";

/** Applies a fact; a promise where that takes longer than memory does. */
export type Apply<Fact> = (fact: Fact, arrival: Arrival) => Promise<void> | undefined;

/**
 * Applies facts one after the other: in memory alone where no row changes, which is nearly always, and then without a
 * promise; else in one transaction, which may find that the row is not what was assumed.
 */
export function applying<Item extends { id: number }, Fact, Decision extends { ignored?: never }, Change>(
  service: Behaviour<Item, Fact, Decision, Change>,
  items: Registry<Item>,
  commit: (run: () => Commit) => Promise<boolean>,
): Apply<Fact> {
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
      const committed = isTransition && (await commit(() => service.transition(item, fact, decision, arrival)));
      if (committed || !isTransition || attempt > 1) return service.take(item, fact, decision, committed);
      // The row was not what we thought: look again, once. What then still is not ours to change stays.
      await items.reload([id]);
    }
  };

  return (fact, arrival) => {
    const item = items.get(service.idOf(fact));
    if (item === undefined || service.isOutdated?.(item, fact) === true) return slowly(fact, arrival);
    const decision = service.decide(item, fact, arrival);
    if (decision.ignored !== undefined) service.ignore(fact, decision.ignored, arrival);
    else if (service.isTransition(item, decision, arrival)) return slowly(fact, arrival);
    else service.take(item, fact, decision, false);
    return undefined;
  };
}
