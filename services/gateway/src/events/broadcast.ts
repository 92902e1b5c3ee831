import { unavailable } from "@sonde/kit/errors";
import { counter, gauge } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";

/** Where a stream is written to: a ServerResponse. */
export type Sink = {
  write(bytes: Buffer): boolean;
  end(): void;
  destroy(): void;
  once(event: "close" | "drain", run: () => void): unknown;
  readonly writableLength: number;
  /** Whether `close` was emitted already. */
  readonly closed: boolean;
};

export type Listener = { sink: Sink };
type BroadcastOptions<Reader extends Listener> = {
  clock: Clock;
  /** Shared by all broadcasts: bounds their streams together. */
  streams: StreamCount;
  /** The part of all streams that these may take. */
  share?: number;
  /** What a reader gets who was too slow, and missed frames, once they catch up. */
  catchUp: () => Buffer;
  isOver?: (reader: Reader) => boolean;
  isOverEveryMs?: number;
  /** True for readers that get the second form of a frame. */
  isRestricted?: (reader: Reader) => boolean;
};
export type Broadcast<Reader extends Listener> = ReturnType<typeof createBroadcast<Reader>>;

/** A write costs the same for any number of frames; with this time between two, readers get events within 100 ms. */
export const flushMs = 80;
const heartbeatMs = 15_000;
const largestBatchBytes = 2 ** 20;
/** What may wait for a slow reader; beyond it the reader misses frames. */
export const backlogBytes = 2 ** 18;
const maxLagMs = 30_000;
const endTimeoutMs = 1000;

const lagged = counter("sonde_sse_streams_lagged_total", "Times that a client fell behind on its event stream");
const open = gauge("sonde_sse_streams_open", "Open server-sent event streams");

/** Counts the streams that a process has open, of those who are logged in and of visitors together. */
export type StreamCount = ReturnType<typeof createStreamCount>;

export function createStreamCount(max: number) {
  let count = 0;
  return {
    hasRoom: (share: number) => count < Math.max(1, Math.floor(max * share)),
    change(by: 1 | -1) {
      count += by;
      open.set(count);
    },
  };
}

/** A frame as the wire has it (HTML standard §9.2). JSON holds no line break, so `data` is one line. */
export function encodeFrame({ event, data }: { event: string; data: unknown }, id?: string): Buffer {
  return Buffer.from(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
}

const heartbeat = Buffer.from(": heartbeat\n\n");

/** Hands frames to every open stream: in batches, without waiting for slow readers. It knows nothing of who they are. */
export function createBroadcast<Reader extends Listener>(options: BroadcastOptions<Reader>) {
  const { clock, streams, share = 1, catchUp, isOver = () => false, isOverEveryMs = heartbeatMs } = options;
  const { isRestricted = () => false } = options;
  /** Each reader, and since when it was too slow. */
  const readers = new Map<Reader, { laggingSinceMs: number | null }>();
  let pending: { frame: Buffer; restricted: Buffer }[] = [];
  let pendingBytes = 0;
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    flushedAtMs = clock.elapsedMs();
    if (pending.length === 0) return;
    const batch = Buffer.concat(pending.map(({ frame }) => frame));
    const differs = pending.some(({ frame, restricted }) => frame !== restricted);
    const restrictedBatch = differs ? Buffer.concat(pending.map(({ restricted }) => restricted)) : batch;
    pending = [];
    pendingBytes = 0;
    for (const reader of readers.keys()) write(reader, isRestricted(reader) ? restrictedBatch : batch);
  };

  const send = (frame: Buffer, restricted = frame) => {
    pending.push({ frame, restricted });
    pendingBytes += frame.length;
    if (pendingBytes >= largestBatchBytes) flush();
    else timer ??= setTimeout(flush, Math.max(0, flushMs - (clock.elapsedMs() - flushedAtMs)));
  };

  const write = (reader: Reader, bytes: Buffer) => {
    const state = readers.get(reader);
    if (state === undefined || state.laggingSinceMs !== null) return;
    const { sink } = reader;
    if (sink.write(bytes) || sink.writableLength <= backlogBytes) return;
    lagged.inc();
    state.laggingSinceMs = clock.elapsedMs();
    sink.once("drain", () => {
      state.laggingSinceMs = null;
      if (readers.has(reader)) sink.write(catchUp());
    });
  };

  const remove = (reader: Reader) => {
    if (readers.delete(reader)) streams.change(-1);
  };

  /** A client that does not read does not notice the end either: its connection is closed. */
  const finish = (reader: Reader) => {
    remove(reader);
    reader.sink.end();
    const cut = setTimeout(() => reader.sink.destroy(), endTimeoutMs).unref();
    reader.sink.once("close", () => clearTimeout(cut));
  };

  const heartbeatTimer = setInterval(() => {
    for (const [reader, { laggingSinceMs }] of readers) {
      if (laggingSinceMs !== null && clock.elapsedMs() - laggingSinceMs > maxLagMs) reader.sink.destroy();
    }
    send(heartbeat);
  }, heartbeatMs).unref();
  const endTimer = setInterval(() => {
    for (const reader of readers.keys()) if (isOver(reader)) finish(reader);
  }, isOverEveryMs).unref();

  return {
    /** Sends a frame to all, a little later and together with others; to restricted readers its second form. */
    send,
    /** Whether one more may be opened. @throws AppError `unavailable` while it stops or all streams are taken */
    mustHaveRoom(): void {
      if (closed || !streams.hasRoom(share)) throw unavailable("events");
    },
    /** Adds a reader, who gets `greeting` first and then what is sent from now on. There must be room. */
    add(reader: Reader, greeting: () => Buffer): void {
      flush();
      streams.change(1);
      readers.set(reader, { laggingSinceMs: null });
      reader.sink.once("close", () => remove(reader));
      write(reader, greeting());
    },
    write,
    finish,
    /** In the order in which their streams were opened. */
    readers: () => readers.keys(),
    size: (): number => readers.size,
    /** Ends every stream, and takes no more. */
    close(): void {
      closed = true;
      clearInterval(heartbeatTimer);
      clearInterval(endTimer);
      flush();
      for (const reader of readers.keys()) finish(reader);
    },
  };
}
