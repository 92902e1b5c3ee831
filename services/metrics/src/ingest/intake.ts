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

export type Read = {
  rows: number;
  news: boolean;
  refused: { old: number; future: number };
  /** Why the message must be dead-lettered, at least for a part of it. */
  problem: string | null;
  /** The problem may be gone once this service knows what others already know. */
  isEarly?: boolean;
};

/** Limits for early messages: an edit can reach a runner before this service. */
const [maxEarly, earlyMs] = [5, 1_000];

export type IntakeOptions<R extends Read> = {
  bus: Bus;
  stream: string;
  /** Must not throw. */
  read: (bytes: Uint8Array, subject: string, storedAtMs: number) => R;
  /** Stores the messages and returns the number of rows; rejects while ClickHouse is unavailable. */
  write: (messages: readonly R[]) => Promise<number>;
};

export type Intake = Service & {
  unavailable(): boolean;
  /** Stores buffered rows for a user who looks at single rows, at most once a second. Never rejects. */
  flushPending(): Promise<void>;
};

/** Messages are acknowledged after their rows are stored; nothing is pulled while ClickHouse is unavailable. */
export function startIntake<R extends Read>({ bus, stream, read, write }: IntakeOptions<R>): Intake {
  type Taken = R & { message: Message };
  away.set({ stream }, 0);
  const blocks = gatherBlocks<Taken>({
    log: bus.log,
    write: async (block) => {
      const end = blockSeconds.startTimer({ stream });
      const rows = await store(block).catch((problem: unknown) => {
        failures.inc({ stream });
        throw problem;
      });
      end();
      blockRows.observe({ stream }, rows);
      stored.inc({ stream }, rows);
      for (const taken of block) settle(taken);
    },
    onAvailability: (isUnavailable, error) => {
      away.set({ stream }, isUnavailable ? 1 : 0);
      if (isUnavailable) bus.log.warn({ err: error, stream }, "ClickHouse is unreachable: rows wait in NATS");
      else bus.log.info({ stream }, "ClickHouse is reachable again");
    },
  });

  /** A block belongs to many traces, so its span starts a new trace with links to all of them. */
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

  const settle = ({ message, problem, refused }: Taken) => {
    if (refused.old > 0) refusals.inc({ stream, reason: "old" }, refused.old);
    if (refused.future > 0) refusals.inc({ stream, reason: "future" }, refused.future);
    if (problem === null) return message.ack();
    // Acknowledge only after the dead letter is stored; otherwise the message is redelivered.
    moveToDeadLetters(bus, { stream, service: "metrics", reason: problem, message }).then(
      () => message.ack(),
      (error: unknown) => bus.log.error({ err: error }, "storing a dead letter failed"),
    );
  };

  const pulling = pullDurable(bus, {
    stream,
    durable: "metrics",
    room: blocks.room,
    onMessage: (message) => {
      const found = read(message.data, message.subject, message.storedAtMs);
      if (found.isEarly === true && message.deliveries <= maxEarly) message.nak(earlyMs);
      else blocks.add({ ...found, message });
    },
  });

  return {
    unavailable: blocks.unavailable,
    flushPending: blocks.flushPending,
    stop: async () => {
      await pulling.stop();
      // Release them, so that another replica or the next start need not wait for the ack timeout.
      for (const { message } of await blocks.stop()) message.nak();
    },
  };
}
