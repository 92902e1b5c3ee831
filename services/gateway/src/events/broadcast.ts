import type { Clock } from "@sonde/kit/time/clock";
import { unavailable } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import { heartbeat } from "./frame.ts";
import type { StreamCount } from "./stream-count.ts";

/** Where a stream is written to; a ServerResponse is one. */
export type Sink = {
  write(bytes: Buffer): boolean;
  end(): void;
  destroy(): void;
  once(event: "close" | "drain", run: () => void): unknown;
  readonly writableLength: number;
  /** Whether `close` was emitted already. */
  readonly closed: boolean;
};

/** Who reads a stream; a hub adds what it knows of them. */
export type Listener = { sink: Sink };
type State = { laggingSinceMs: number | null };

export type BroadcastOptions<Reader extends Listener> = {
  clock: Clock;
  /** Shared by all that broadcast: together they hold so many streams at most. */
  streams: StreamCount;
  /** What a reader gets who was too slow, and missed frames, once they catch up. */
  catchUp: () => Buffer;
  /** The stream of a reader is over, whoever ended it. */
  onLeave: (reader: Reader) => void;
  /** Whether a reader's time is over; asked at each heartbeat. */
  isOver?: (reader: Reader) => boolean;
};
export type Broadcast<Reader extends Listener> = ReturnType<typeof createBroadcast<Reader>>;

const flushMs = 50;
const heartbeatMs = 15_000;
const largestBatchBytes = 2 ** 20;
/** What may wait for a slow reader; beyond it the reader misses frames. */
export const backlogBytes = 2 ** 18;
const longestLagMs = 30_000;
const endTimeoutMs = 1000;

const lagged = counter("sonde_sse_streams_lagged_total", "Readers too slow for their stream");

/** Hands frames to every open stream: in batches, without waiting for slow readers. It knows nothing of who they are. */
export function createBroadcast<Reader extends Listener>(options: BroadcastOptions<Reader>) {
  const { clock, streams, catchUp, onLeave, isOver = () => false } = options;
  const readers = new Map<Reader, State>();
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let timer: NodeJS.Timeout | null = null;
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    flushedAtMs = clock.elapsedMs();
    if (pending.length === 0) return;
    const batch = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    for (const [reader, state] of readers) deliver(reader, state, batch);
  };

  const deliver = (reader: Reader, state: State, bytes: Buffer) => {
    if (state.laggingSinceMs !== null) return;
    const { sink } = reader;
    sink.write(bytes);
    if (sink.writableLength <= backlogBytes) return;
    lagged.inc();
    state.laggingSinceMs = clock.elapsedMs();
    sink.once("drain", () => {
      state.laggingSinceMs = null;
      if (readers.has(reader)) sink.write(catchUp());
    });
  };

  const write = (reader: Reader, bytes: Buffer) => {
    const state = readers.get(reader);
    if (state !== undefined) deliver(reader, state, bytes);
  };

  const remove = (reader: Reader) => {
    if (!readers.delete(reader)) return;
    streams.release();
    onLeave(reader);
  };

  /** A client that does not read does not notice the end either: its connection is closed. */
  const finish = (reader: Reader) => {
    remove(reader);
    reader.sink.end();
    const cut = setTimeout(() => reader.sink.destroy(), endTimeoutMs).unref();
    reader.sink.once("close", () => clearTimeout(cut));
  };

  const heartbeatTimer = setInterval(() => {
    for (const [reader, state] of readers) {
      const { laggingSinceMs } = state;
      if (isOver(reader)) finish(reader);
      else if (laggingSinceMs !== null && clock.elapsedMs() - laggingSinceMs > longestLagMs) reader.sink.destroy();
      else deliver(reader, state, heartbeat);
    }
  }, heartbeatMs).unref();

  return {
    /** Sends a frame to all, a little later and together with others. */
    send(frame: Buffer): void {
      if (readers.size === 0) return;
      pending.push(frame);
      pendingBytes += frame.length;
      if (pendingBytes >= largestBatchBytes) flush();
      else timer ??= setTimeout(flush, Math.max(0, flushMs - (clock.elapsedMs() - flushedAtMs)));
    },
    /** Whether one more may be opened. @throws AppError `unavailable` while it stops or all streams are taken */
    mustHaveRoom(): void {
      if (closed || !streams.hasRoom()) throw unavailable("events");
    },
    /**
     * Adds a reader, who gets `greeting` first and then what is sent from now on: what waits to be sent goes out before.
     * There must be room.
     */
    add(reader: Reader, greeting: () => Buffer): void {
      flush();
      streams.take();
      readers.set(reader, { laggingSinceMs: null });
      reader.sink.once("close", () => remove(reader));
      write(reader, greeting());
    },
    write,
    finish,
    size: (): number => readers.size,
    /** Ends every stream, and takes no more. */
    close(): void {
      closed = true;
      clearInterval(heartbeatTimer);
      flush();
      for (const reader of readers.keys()) finish(reader);
    },
  };
}
