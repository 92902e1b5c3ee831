import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";

/** One minute's call, which one process looks after. */
export type Turn = {
  lease: string;
  /** The names of the faults at the last look. */
  reasons: string[];
};

const everyMs = 60_000;
/** Longer than looking and calling take; a process that dies meanwhile is followed by another within the minute. */
const leaseMs = 35_000;
const retryMs = 10_000;

/** PostgreSQL's clock: those of several processes differ. */
const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** One further ahead than it may be was written before that clock was set back. */
const isOver = (column: string, atMostMs: number) => `not (${column} between ${nowMs} + 1 and ${nowMs} + ${atMostMs})`;

/** Takes the turn of this minute; null if it is not due, or another process has it. */
export async function takeTurn(db: Database): Promise<Turn | null> {
  const { rows } = await db.raw<{ rows: Turn[] }>(
    `update self_watch set lease = ?, lease_until_ms = ${nowMs} + ${leaseMs}
     where ${isOver("due_at_ms", everyMs)} and ${isOver("lease_until_ms", leaseMs)}
     returning lease, reasons`,
    [randomUUID()],
  );
  return rows[0] ?? null;
}

/**
 * Ends a turn: the next is due at the start of the next minute, or in ten seconds if no call was made or it failed. No
 * effect if the lease expired and another process has the turn.
 */
export async function endTurn(
  db: Database,
  { lease }: Turn,
  { reasons, isDone }: { reasons: readonly string[]; isDone: boolean },
): Promise<void> {
  const nextMs = isDone ? `(${nowMs} / ${everyMs} + 1) * ${everyMs}` : `${nowMs} + ${retryMs}`;
  await db.raw(
    `update self_watch set due_at_ms = ${nextMs}, lease = null, lease_until_ms = 0, reasons = ? where lease = ?`,
    [[...reasons], lease],
  );
}

/** The names of the faults at the last look. */
export async function readReasons(db: Database): Promise<string[]> {
  const row = await db("self_watch").first<{ reasons: string[] }>("reasons");
  return row?.reasons ?? [];
}
