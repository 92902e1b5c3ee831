import { partitions } from "@sonde/proto/subjects";
import type { Position } from "../bus/follow.ts";
import { type Database, isDatabaseUnavailable } from "../postgres/database.ts";
import type { Log } from "../service/log.ts";
import type { Clock } from "../time/clock.ts";

export type SavedState<Change> = {
  partition: number;
  /** How far the stream was read; null before the first message. */
  position: Position | null;
  changed: readonly Change[];
  /** What was saved with an instant after this one was saved before the clock was set back, and is replaced. */
  nowMs: number;
};

type SavingOptions<Change> = {
  partition: number;
  clock: Clock;
  /** Saves changes and position in one transaction. */
  save(saved: SavedState<Change>): Promise<void>;
  /** Up to this many changes are saved at each call, more of them only every `manyEveryMs`; absent: always all. */
  fewChanges?: number;
  /** Also for a position alone, if it is set; 5 s if absent. */
  manyEveryMs?: number;
};

/** What a partition has yet to save: the newest change of each key, and how far its stream was read. */
export function createSaving<Change>(options: SavingOptions<Change>) {
  const { partition, clock, fewChanges = Infinity, manyEveryMs = 5_000 } = options;
  let waiting = new Map<string | number, Change>();
  let savedSequence = -1;
  // Partitions take turns: all at once would hold up everything else meanwhile.
  let savedAtMs = clock.elapsedMs() - (partition / partitions) * manyEveryMs;
  let isUrgent = false;
  return {
    /** @param soon with the next save, however many changes wait */
    keep(key: string | number, change: Change, soon = false): void {
      waiting.set(key, change);
      isUrgent ||= soon;
    },
    /** @param all however many changes wait, and however recently some were saved */
    async save(position: Position | null, all: boolean): Promise<void> {
      // A position alone waits as many changes do: the next owner reads a little again.
      const isMany = waiting.size > fewChanges || (waiting.size === 0 && options.manyEveryMs !== undefined);
      const mayWait = !all && !isUrgent && isMany;
      if (mayWait && clock.elapsedMs() - savedAtMs < manyEveryMs) return;
      savedAtMs = clock.elapsedMs();
      const sequence = position?.sequence ?? -1;
      if (waiting.size === 0 && sequence === savedSequence) return;
      const [saved, wasUrgent] = [waiting, isUrgent];
      waiting = new Map();
      isUrgent = false;
      try {
        await options.save({ partition, position, changed: [...saved.values()], nowMs: clock.now() });
        savedSequence = sequence;
      } catch (error) {
        for (const [key, change] of saved) if (!waiting.has(key)) waiting.set(key, change);
        isUrgent ||= wasUrgent;
        throw error;
      }
    },
  };
}

const retryMs = 500;
const hopelessFaults = 5;

/**
 * Retries as long as PostgreSQL is unavailable, since a partition never skips a result.
 * @param onBack called when it is available again
 */
export function createRetryPolicy(log: Log, partition: number, onBack: () => void) {
  let waiting = false;
  let stopped = false;
  return {
    /** It is unavailable now. */
    waiting: () => waiting,
    stop: () => void (stopped = true),
    /** Rejects when stopped, or with an error that a retry cannot fix. */
    async persist<Answer>(run: () => Promise<Answer>): Promise<Answer> {
      for (let faults = 0; ;) {
        try {
          const answer = await run();
          if (waiting) onBack();
          waiting = false;
          return answer;
        } catch (error) {
          const isAway = isDatabaseUnavailable(error);
          if (!isAway) faults++;
          if (stopped || faults === hopelessFaults) {
            waiting = false;
            throw error;
          }
          const reason = isAway ? "PostgreSQL is unreachable" : "a statement failed";
          if (!waiting) log.warn({ err: error, partition }, `${reason}: a partition waits`);
          waiting = true;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          if (stopped) throw error;
        }
      }
    },
  };
}

/** How far each partition of a stream was read. Used under a service's own name among its migrations. */
export const positionsMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      create table positions (
        partition integer primary key,
        stream_created text not null,
        sequence bigint not null
      );
    `);
  },
};

/** Where the last owner of a partition was; null before the first. */
export async function readPosition(db: Database, partition: number): Promise<Position | null> {
  const rows = db("positions").where({ partition }).select<Position[]>("stream_created as created", "sequence");
  return (await rows.first()) ?? null;
}

/** Keeps a position, in the transaction of what was read up to it. Another owner's that is further stays. */
export async function savePosition(trx: Database, partition: number, { created, sequence }: Position): Promise<void> {
  await trx.raw(
    `insert into positions values (?, ?, ?)
     on conflict (partition) do update set stream_created = excluded.stream_created, sequence = excluded.sequence
     where positions.stream_created <> excluded.stream_created or positions.sequence < excluded.sequence`,
    [partition, created, sequence],
  );
}

/** A position in a stream: all before it, or up to it, is known. */
export type StreamMark = { stream: string; mark: number };

/**
 * The position of a fact in its stream as one number that rises with every fact: the message's sequence, and the fact's
 * index within the message. Unlike an instant it never decreases, whatever clocks do.
 */
export const markOf = (sequence: number, index: number): number =>
  sequence * factsAMessage + Math.min(index, factsAMessage - 1);

/** The mark behind every fact of a message. */
export const endOf = (sequence: number): number => markOf(sequence, factsAMessage - 1);

const factsAMessage = 10_000;
