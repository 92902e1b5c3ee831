import type { Bus } from "../bus/connect.ts";
import { putAside } from "../bus/dead-letters.ts";
import type { BusMessage } from "../bus/follow.ts";
import { slices } from "../concurrency/slices.ts";
import { isDatabaseUnavailable } from "../postgres/database.ts";
import { markOf, type StreamMark } from "./saving.ts";

/** When the bus stored a fact, and its position. */
export type Arrival = StreamMark & { storedAtMs: number };

/** A stream of facts and how to parse them. */
export type FactSource<Fact> = {
  /** The reading service, named in dead letters. */
  service: string;
  stream: string;
  /** The noun for log lines: result, sample. */
  factName: string;
  /** The facts of a message. @throws if it holds none */
  parse(bytes: Uint8Array): readonly Fact[];
  /** Why a fact that came on this subject belongs to the dead letters; null if it is good. */
  faultOf(fact: Fact, subject: string): string | null;
  idOf(fact: Fact): number;
};

/** The number of facts applied before yielding to the event loop. */
const factsInOneGo = 8;

export function readFacts<Fact>(
  bus: Bus,
  { service, stream, factName, parse, faultOf, idOf }: FactSource<Fact>,
  { message, storedAtMs, isStopped }: { message: BusMessage; storedAtMs: number; isStopped: () => boolean },
) {
  const faults: string[] = [];
  let facts: readonly Fact[] = [];
  try {
    facts = parse(message.data);
  } catch {
    faults.push(`not a batch of ${factName}s`);
  }
  /** Notes that a fact could not be applied. @throws if its message must be delivered again */
  const refuse = (fact: Fact, error: unknown): void => {
    if (isStopped() || isDatabaseUnavailable(error)) throw error;
    bus.log.error({ err: error, id: idOf(fact) }, `a ${factName} could not be applied`);
    faults.push(`${factName} ${facts.indexOf(fact)} of ${idOf(fact)}: ${String(error)}`);
  };
  return {
    /** Applies a fact that `each` left over. */
    async retry(fact: Fact, apply: () => Promise<void> | undefined): Promise<void> {
      try {
        await apply();
      } catch (error) {
        refuse(fact, error);
      }
    },
    /** Applies the good facts in order. Rejects if the message must be delivered again. */
    async each(apply: (fact: Fact, at: Arrival) => Promise<void> | undefined): Promise<void> {
      const pause = slices();
      for (const [index, fact] of facts.entries()) {
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
    },
    /** Dead-letters the message once, with the first reason, if any of its facts is faulty. */
    async putAsideFaulty(): Promise<void> {
      const [first] = faults;
      if (first === undefined) return;
      const reason = faults.length === 1 ? first : `${first}; and ${faults.length - 1} more`;
      await putAside(bus, { stream, service, reason, message });
    },
  };
}

/** The most rows changed in one transaction: building the statements takes some milliseconds. */
export const maxTogether = 200;

/**
 * Collects transitions of a message, each of another item, and commits them in one transaction: when a whole fleet comes
 * back, each agent has one.
 * @param commit resolves to whether each was committed
 * @param retry those that were not, because of their rows or of a fault of one of them, are to be committed one by one
 */
export function createBatch<Transition>(
  commit: (all: readonly Transition[]) => Promise<readonly boolean[]>,
  retry: (left: readonly Transition[]) => Promise<void>,
) {
  const waiting = new Map<number, Transition>();
  const finish = async (): Promise<void> => {
    if (waiting.size === 0) return;
    const all = [...waiting.values()];
    waiting.clear();
    const committed = await commit(all).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      return [];
    });
    const left = all.filter((_, index) => committed[index] !== true);
    if (left.length > 0) await retry(left);
  };
  return {
    /** The next fact of this item must wait: it is decided on what this transition leaves. */
    has: (id: number): boolean => waiting.has(id),
    /** Returns a promise, which resolves to true, only if no more may wait: they are committed first. */
    add(id: number, transition: Transition): Promise<boolean> | undefined {
      waiting.set(id, transition);
      return waiting.size < maxTogether ? undefined : finish().then(() => true);
    },
    /** Commits what waits. Call it after the message's last fact. */
    finish,
  };
}

export type Batch<Transition> = ReturnType<typeof createBatch<Transition>>;
