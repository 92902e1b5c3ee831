import { partitions } from "@sonde/proto/subjects";
import type { Position } from "../bus/follow.ts";
import { type Database, isDatabaseUnavailable } from "../postgres/database.ts";
import type { Log } from "../service/log.ts";
import type { Clock } from "../time/clock.ts";

export type SavedState<Change> = {
  partition: number;
  position: Position | null;
  changed: readonly Change[];
  /** Later rows were saved before the clock was set back, and are replaced. */
  nowMs: number;
};

type SavingOptions<Change> = {
  partition: number;
  clock: Clock;
  save(saved: SavedState<Change>): Promise<void>;
  /** If there are more, they are saved only every `manyEveryMs`. */
  fewChanges?: number;
  /** Default 5 s. If set, it also applies when only the position changed. */
  manyEveryMs?: number;
};

export function createSaving<Change>(options: SavingOptions<Change>) {
  const { partition, clock, fewChanges = Infinity, manyEveryMs = 5_000 } = options;
  let waiting = new Map<string | number, Change>();
  let savedSequence = -1;
  // Staggers partitions, because saving all at once would block other work.
  let savedAtMs = clock.elapsedMs() - (partition / partitions) * manyEveryMs;
  let isUrgent = false;
  return {
    /** @param soon include it in the next save */
    keep(key: string | number, change: Change, soon = false): void {
      waiting.set(key, change);
      isUrgent ||= soon;
    },
    async save(position: Position | null, all: boolean): Promise<void> {
      // A position alone may wait: at worst the next owner reads some messages twice.
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
const maxFailures = 5;

/** Retries while PostgreSQL is unavailable, since a partition never skips a result. */
export function createRetryPolicy(log: Log, partition: number, onBack: () => void) {
  let waiting = false;
  let stopped = false;
  return {
    waiting: () => waiting,
    stop: () => void (stopped = true),
    /** Rejects when stopped, or with an error that persists. */
    async persist<Answer>(run: () => Promise<Answer>): Promise<Answer> {
      for (let failures = 0; ;) {
        try {
          const answer = await run();
          if (waiting) onBack();
          waiting = false;
          return answer;
        } catch (error) {
          const isUnavailable = isDatabaseUnavailable(error);
          if (!isUnavailable) failures++;
          if (stopped || failures === maxFailures) {
            waiting = false;
            throw error;
          }
          const reason = isUnavailable ? "PostgreSQL is unreachable" : "a statement failed";
          if (!waiting) log.warn({ err: error, partition }, `${reason}; a partition is waiting`);
          waiting = true;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          if (stopped) throw error;
        }
      }
    },
  };
}

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

export async function readPosition(db: Database, partition: number): Promise<Position | null> {
  const rows = db("positions").where({ partition }).select<Position[]>("stream_created as created", "sequence");
  return (await rows.first()) ?? null;
}

/** Call in the transaction that saves the state. Never moves a position back. */
export async function savePosition(trx: Database, partition: number, { created, sequence }: Position): Promise<void> {
  await trx.raw(
    `insert into positions values (?, ?, ?)
     on conflict (partition) do update set stream_created = excluded.stream_created, sequence = excluded.sequence
     where positions.stream_created <> excluded.stream_created or positions.sequence < excluded.sequence`,
    [partition, created, sequence],
  );
}

export type StreamMark = { stream: string; mark: number };

/** A fact's position as one number: message sequence and index. Unlike a time, it always increases. */
export const markOf = (sequence: number, index: number): number =>
  sequence * factsPerMessage + Math.min(index, factsPerMessage - 1);

export const endOf = (sequence: number): number => markOf(sequence, factsPerMessage - 1);

const factsPerMessage = 10_000;
