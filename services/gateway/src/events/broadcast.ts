import { unavailable } from "@sonde/kit/errors";
import { counter, gauge } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";

export type Sink = {
  write(bytes: Buffer): boolean;
  end(): void;
  destroy(): void;
  once(event: "close" | "drain", run: () => void): unknown;
  readonly writableLength: number;
  readonly closed: boolean;
};

export type Listener = { sink: Sink };
type BroadcastOptions<Reader extends Listener> = {
  clock: Clock;
  streams: StreamCount;
  share?: number;
  /** Sent to a reader that missed frames, after it has caught up. */
  catchUp: () => Buffer;
  isExpired?: (reader: Reader) => boolean;
  expiryCheckMs?: number;
  isRestricted?: (reader: Reader) => boolean;
};
export type Broadcast<Reader extends Listener> = ReturnType<typeof createBroadcast<Reader>>;

/** A write costs the same for any number of frames. With this interval, readers get events within 100 ms. */
export const flushMs = 80;
const heartbeatMs = 15_000;
const maxBatchBytes = 2 ** 20;
/** Maximum buffered bytes of a slow reader; beyond that it misses frames. */
export const backlogBytes = 2 ** 18;
const maxLagMs = 30_000;
const endTimeoutMs = 1000;

const lagged = counter("sonde_sse_streams_lagged_total", "Times that a client fell behind on its event stream");
const open = gauge("sonde_sse_streams_open", "Open server-sent event streams");

export type StreamCount = ReturnType<typeof createStreamCount>;

export function createStreamCount(max: number) {
  let count = 0;
  return {
    hasCapacity: (share: number) => count < Math.max(1, Math.floor(max * share)),
    change(by: 1 | -1) {
      count += by;
      open.set(count);
    },
  };
}

/** Encodes a frame (HTML standard §9.2). JSON contains no line breaks, so `data` is one line. */
export function encodeFrame({ event, data }: { event: string; data: unknown }, id?: string): Buffer {
  return Buffer.from(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
}

const heartbeat = Buffer.from(": heartbeat\n\n");

/** Sends frames in batches, without waiting for slow readers. */
export function createBroadcast<Reader extends Listener>(options: BroadcastOptions<Reader>) {
  const { clock, streams, share = 1, catchUp, isExpired = () => false, expiryCheckMs = heartbeatMs } = options;
  const { isRestricted = () => false } = options;
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
    if (pendingBytes >= maxBatchBytes) flush();
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

  /** Destroys the connection after a timeout: a client that does not read would not notice the end. */
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
    for (const reader of readers.keys()) if (isExpired(reader)) finish(reader);
  }, expiryCheckMs).unref();

  return {
    send,
    /** @throws AppError `unavailable` when shutting down or when all streams are in use */
    requireCapacity(): void {
      if (closed || !streams.hasCapacity(share)) throw unavailable("events");
    },
    /** `greeting` is sent before any later frame. Call `requireCapacity` first. */
    add(reader: Reader, greeting: () => Buffer): void {
      flush();
      streams.change(1);
      readers.set(reader, { laggingSinceMs: null });
      reader.sink.once("close", () => remove(reader));
      write(reader, greeting());
    },
    write,
    finish,
    readers: () => readers.keys(),
    size: (): number => readers.size,
    close(): void {
      closed = true;
      clearInterval(heartbeatTimer);
      clearInterval(endTimer);
      flush();
      for (const reader of readers.keys()) finish(reader);
    },
  };
}
