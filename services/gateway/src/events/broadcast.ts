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
/** `group`: the part of the readers that it belongs to. */
type Stream<Reader> = { reader: Reader; group: Group<Reader>; laggingSinceMs: number | null };
/** Streams that are written to one right after the other, and what waits to be sent to them. */
type Group<Reader> = { streams: Set<Stream<Reader>>; pending: Buffer[]; pendingBytes: number };

export type BroadcastOptions<Reader extends Listener> = {
  clock: Clock;
  /** Shared by all broadcasts: bounds their streams together. */
  streams: StreamCount;
  /** What a reader gets who was too slow, and missed frames, once they catch up. */
  catchUp: () => Buffer;
  /** A reader's stream ended, on either side. */
  onLeave: (reader: Reader) => void;
  /** Whether a reader's time is over; asked at each heartbeat. */
  isOver?: (reader: Reader) => boolean;
};
export type Broadcast<Reader extends Listener> = ReturnType<typeof createBroadcast<Reader>>;

/** A write costs the same for any number of frames; with this time between two, readers get events within 100 ms. */
export const flushMs = 80;
/** Streams of a group: this many writes block the event loop for some 2 ms. */
export const groupSize = 250;
const heartbeatMs = 15_000;
const largestBatchBytes = 2 ** 20;
/** What may wait for a slow reader; beyond it the reader misses frames. */
export const backlogBytes = 2 ** 18;
const longestLagMs = 30_000;
const endTimeoutMs = 1000;

const lagged = counter("sonde_sse_streams_lagged_total", "Readers too slow for their stream");

/** Hands frames to every open stream: in batches, without waiting for slow readers. It knows nothing of who they are. */
export function createBroadcast<Reader extends Listener>(options: BroadcastOptions<Reader>) {
  const { clock, streams: count, catchUp, onLeave, isOver = () => false } = options;
  const streams = new Map<Reader, Stream<Reader>>();
  /** Flushed in turns, so that a thousand writes do not come at once. */
  let groups: Group<Reader>[] = [];
  let turn = 0;
  let turnedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const flush = (group: Group<Reader>) => {
    const { pending } = group;
    if (pending.length === 0) return;
    const batch = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    group.pending = [];
    group.pendingBytes = 0;
    for (const stream of group.streams) deliver(stream, batch);
  };

  const flushNext = () => {
    timer = null;
    turnedAtMs = clock.elapsedMs();
    turn += 1;
    const next = groups[turn % groups.length];
    if (next !== undefined) flush(next);
    if (groups.some(({ pending }) => pending.length > 0)) awaitTurn();
  };
  const awaitTurn = () => {
    timer ??= setTimeout(flushNext, Math.max(0, flushMs / groups.length - (clock.elapsedMs() - turnedAtMs)));
  };

  const send = (frame: Buffer) => {
    for (const group of groups) {
      group.pending.push(frame);
      group.pendingBytes += frame.length;
      if (group.pendingBytes >= largestBatchBytes) flush(group);
      else awaitTurn();
    }
  };

  const deliver = (stream: Stream<Reader>, bytes: Buffer) => {
    const { reader, laggingSinceMs } = stream;
    if (laggingSinceMs !== null) return;
    const { sink } = reader;
    if (sink.write(bytes) || sink.writableLength <= backlogBytes) return;
    lagged.inc();
    stream.laggingSinceMs = clock.elapsedMs();
    sink.once("drain", () => {
      stream.laggingSinceMs = null;
      if (streams.has(reader)) sink.write(catchUp());
    });
  };

  const write = (reader: Reader, bytes: Buffer) => {
    const stream = streams.get(reader);
    if (stream !== undefined) deliver(stream, bytes);
  };

  const groupWithRoom = (): Group<Reader> => {
    const found = groups.find((group) => group.streams.size < groupSize);
    if (found !== undefined) return found;
    const made: Group<Reader> = { streams: new Set(), pending: [], pendingBytes: 0 };
    groups.push(made);
    return made;
  };

  const remove = (reader: Reader) => {
    const stream = streams.get(reader);
    if (stream === undefined) return;
    streams.delete(reader);
    stream.group.streams.delete(stream);
    if (stream.group.streams.size === 0) groups = groups.filter((group) => group !== stream.group);
    count.release();
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
    for (const { reader, laggingSinceMs } of streams.values()) {
      if (isOver(reader)) finish(reader);
      else if (laggingSinceMs !== null && clock.elapsedMs() - laggingSinceMs > longestLagMs) reader.sink.destroy();
    }
    send(heartbeat);
  }, heartbeatMs).unref();

  return {
    /** Sends a frame to all, a little later and together with others. */
    send,
    /** Whether one more may be opened. @throws AppError `unavailable` while it stops or all streams are taken */
    mustHaveRoom(): void {
      if (closed || !count.hasRoom()) throw unavailable("events");
    },
    /**
     * Adds a reader, who gets `greeting` first and then what is sent from now on: pending frames of its group are sent
     * before. There must be room.
     */
    add(reader: Reader, greeting: () => Buffer): void {
      const group = groupWithRoom();
      flush(group);
      count.take();
      const stream = { reader, group, laggingSinceMs: null };
      group.streams.add(stream);
      streams.set(reader, stream);
      reader.sink.once("close", () => remove(reader));
      write(reader, greeting());
    },
    write,
    finish,
    size: (): number => streams.size,
    /** Ends every stream, and takes no more. */
    close(): void {
      closed = true;
      clearInterval(heartbeatTimer);
      for (const group of groups) flush(group);
      for (const reader of streams.keys()) finish(reader);
    },
  };
}
