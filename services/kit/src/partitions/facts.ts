import type { Bus } from "../bus/connect.ts";
import { moveToDeadLetters } from "../bus/dead-letters.ts";
import type { BusMessage } from "../bus/follow.ts";
import { slices } from "../concurrency/slices.ts";
import { isDatabaseUnavailable } from "../postgres/database.ts";
import { markOf, type StreamMark } from "./saving.ts";

export type Arrival = StreamMark & { storedAtMs: number };

export type FactSource<Fact> = {
  service: string;
  stream: string;
  /** Noun for log lines: result, sample. */
  factName: string;
  /** @throws if the message is invalid */
  parse(bytes: Uint8Array): readonly Fact[];
  /** Why a fact must be dead-lettered; `null` if it is valid. */
  faultOf(fact: Fact, subject: string): string | null;
  idOf(fact: Fact): number;
};

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
  /** @throws if the message must be redelivered */
  const refuse = (fact: Fact, error: unknown): void => {
    if (isStopped() || isDatabaseUnavailable(error)) throw error;
    bus.log.error({ err: error, id: idOf(fact) }, `applying a ${factName} failed`);
    faults.push(`${factName} ${facts.indexOf(fact)} of ${idOf(fact)}: ${String(error)}`);
  };
  return {
    async retry(fact: Fact, apply: () => Promise<void> | undefined): Promise<void> {
      try {
        await apply();
      } catch (error) {
        refuse(fact, error);
      }
    },
    /** Skips invalid facts. Rejects if the message must be redelivered. */
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
    /** Dead-letters the message once if it contains invalid facts. */
    async deadLetterInvalid(): Promise<void> {
      const [first] = faults;
      if (first === undefined) return;
      const reason = faults.length === 1 ? first : `${first}; and ${faults.length - 1} more`;
      await moveToDeadLetters(bus, { stream, service, reason, message });
    },
  };
}

/** Limits the milliseconds that building the statements takes. */
export const maxBatchRows = 200;

/**
 * Commits the transitions of a message, at most one per item, in one transaction. When a whole fleet reconnects, every
 * agent has one.
 * @param commit resolves to whether each was committed
 * @param retry commits the others one by one
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
    /** True if the next fact of this item must wait for a pending transition. */
    has: (id: number): boolean => waiting.has(id),
    /** If the batch is full, commits it and returns a promise of `true`. */
    add(id: number, transition: Transition): Promise<boolean> | undefined {
      waiting.set(id, transition);
      return waiting.size < maxBatchRows ? undefined : finish().then(() => true);
    },
    /** Call it after the last fact of a message. */
    finish,
  };
}

export type Batch<Transition> = ReturnType<typeof createBatch<Transition>>;
