import type { Position } from "../bus/follow.ts";
import type { Database } from "../postgres/database.ts";

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

/**
 * The position of a fact in its stream as one number that rises with every fact: the message's sequence, and the fact's
 * index within the message. Unlike an instant it never decreases, whatever clocks do.
 */
export const markOf = (sequence: number, index: number): number =>
  sequence * factsAMessage + Math.min(index, factsAMessage - 1);

/** The mark behind every fact of a message. */
export const endOf = (sequence: number): number => markOf(sequence, factsAMessage - 1);

const factsAMessage = 10_000;
