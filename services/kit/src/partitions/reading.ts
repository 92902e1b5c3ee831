import type { Bus } from "../bus/connect.ts";
import { putAside } from "../bus/dead-letters.ts";
import type { BusMessage } from "../bus/follow.ts";
import { slices } from "../concurrency/slices.ts";
import { isDatabaseAway } from "../postgres/database.ts";
import type { Applying, OnRefused } from "./applying.ts";
import type { Behaviour } from "./behaviour.ts";
import { markOf } from "./stream-positions.ts";

/** The number of facts applied before yielding to the event loop. */
const factsInOneGo = 8;

type Reader<Fact> = Pick<
  Behaviour<never, Fact, never, never>,
  "service" | "stream" | "factName" | "parse" | "faultOf" | "idOf"
>;

/**
 * Reads a message's facts and applies them in order, the good ones even if others are faulty; the faulty ones are
 * dead-lettered once, with the first reason. Rejects if the message must be delivered again: PostgreSQL or the bus is
 * unavailable, or the partition is left.
 */
export function readFacts<Fact>(
  bus: Bus,
  { service, stream, factName, parse, faultOf, idOf }: Reader<Fact>,
  { applying, isStopped }: { applying: (refuse: OnRefused<Fact>) => Applying<Fact>; isStopped: () => boolean },
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
    const { apply, finish } = applying(refuse);
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
