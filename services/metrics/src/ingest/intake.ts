import type { Bus } from "@sonde/kit/bus/connect";
import { moveToDeadLetters } from "@sonde/kit/bus/dead-letters";
import { pullDurable, type PulledMessage as Message } from "@sonde/kit/bus/durable";
import type { Service } from "@sonde/kit/service/lifecycle";
import { counter, gauge, histogram } from "@sonde/kit/telemetry/metrics";
import { gatherBlocks } from "./blocks.ts";

const stored = counter("sonde_metrics_rows_total", "Stored results and samples", ["stream"]);
const refusals = counter("sonde_metrics_refused_rows_total", "Rejected results and samples, by reason", [
  "stream",
  "reason",
]);
const away = gauge("sonde_metrics_clickhouse_away", "1 while ClickHouse accepts no rows", ["stream"]);
const blockSeconds = histogram(
  "sonde_metrics_block_seconds",
  "Duration of storing a block of rows",
  [0.02, 0.05, 0.1, 0.5, 1, 5, 30],
  ["stream"],
);
const blockRows = histogram(
  "sonde_metrics_block_rows",
  "Rows in a stored block",
  [1, 10, 100, 1_000, 5_000, 10_000, 50_000],
  ["stream"],
);
const failures = counter("sonde_metrics_block_failures_total", "Failed attempts to store a block", ["stream"]);

/** A message as part of a block. */
export type Read = {
  rows: number;
  /** A user may be waiting to see it. */
  news: boolean;
  /** Rows that were left out, by reason. */
  refused: { old: number; future: number };
  /** Why the message, or a part of it, belongs to the dead letters. */
  fault: string | null;
};

export type IntakeOptions<R extends Read> = {
  bus: Bus;
  stream: string;
  /** Must not throw. */
  read: (bytes: Uint8Array, subject: string, storedAtMs: number) => R;
  /** Stores what is not stored yet; rejects while ClickHouse is unavailable. Returns how many rows were stored. */
  write: (messages: readonly R[]) => Promise<number>;
};

export type Intake = Service & {
  away(): boolean;
  /** A user looks at single rows: stores what is buffered, unless that was done within a second. Never rejects. */
  hurry(): Promise<void>;
};

/**
 * From a stream into ClickHouse: a message is acknowledged only after its rows are stored, and while ClickHouse is
 * unavailable nothing more is pulled. What cannot be parsed is dead-lettered.
 */
export function startIntake<R extends Read>({ bus, stream, read, write }: IntakeOptions<R>): Intake {
  type Taken = R & { message: Message };
  away.set({ stream }, 0);
  const blocks = gatherBlocks<Taken>({
    log: bus.log,
    write: async (block) => {
      const end = blockSeconds.startTimer({ stream });
      const rows = await store(block).catch((fault: unknown) => {
        failures.inc({ stream });
        throw fault;
      });
      end();
      blockRows.observe({ stream }, rows);
      stored.inc({ stream }, rows);
      for (const taken of block) settle(taken);
    },
    onAway: (isAway, error) => {
      away.set({ stream }, isAway ? 1 : 0);
      if (isAway) bus.log.warn({ err: error, stream }, "ClickHouse is unreachable: rows wait in NATS");
      else bus.log.info({ stream }, "ClickHouse is reachable again");
    },
  });

  /** A block is of many traces: its span is in none of them, and links to all. */
  const store = (block: readonly Taken[]): Promise<number> => {
    if (bus.spans === null) return write(block);
    const noun = stream.toLowerCase();
    const links = block.flatMap(({ message }) => message.traceparent ?? []);
    const attributes = {
      "messaging.system": "nats",
      "messaging.destination.name": noun,
      "messaging.batch.message_count": block.length,
    };
    return bus.spans.run({ name: `store ${noun}`, kind: "consumer", attributes, links }, () => write(block));
  };

  const settle = ({ message, fault, refused }: Taken) => {
    if (refused.old > 0) refusals.inc({ stream, reason: "old" }, refused.old);
    if (refused.future > 0) refusals.inc({ stream, reason: "future" }, refused.future);
    if (fault === null) return message.ack();
    // Not acknowledged before it is safe with the dead letters; it comes again otherwise.
    moveToDeadLetters(bus, { stream, service: "metrics", reason: fault, message }).then(
      () => message.ack(),
      (error: unknown) => bus.log.error({ err: error }, "storing a dead letter failed"),
    );
  };

  const pulling = pullDurable(bus, {
    stream,
    durable: "metrics",
    room: blocks.room,
    onMessage: (message) => blocks.add({ ...read(message.data, message.subject, message.storedAtMs), message }),
  });

  return {
    away: blocks.away,
    hurry: blocks.hurry,
    stop: async () => {
      await pulling.stop();
      // Another replica, or the next start, need not wait for these to time out.
      for (const { message } of await blocks.stop()) message.nak();
    },
  };
}
