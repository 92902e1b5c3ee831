import type { Clock } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import { counter, gauge } from "@sonde/kit/telemetry/metrics";
import type { Frame } from "../presenters/event.ts";
import { type EventId, formatEventId, parseEventId } from "./event-id.ts";
import { comeBackLater, encodeFrame, encodeId, heartbeat, opening } from "./frame.ts";
import { createRing } from "./ring.ts";

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

export type Reader = {
  sink: Sink;
  userId: number;
  sessionHash: string;
  expiresAtMs: number;
  lastEventId?: string | undefined;
};
type Client = Reader & { openedAtMs: number; laggingSinceMs: number | null };

/** `maxStreams` in all, `maxStreamsPerUser` over all sessions of one user; `capacity`: events to resume from. */
export type HubOptions = { clock: Clock; maxStreams: number; maxStreamsPerUser: number; capacity?: number };
export type Hub = ReturnType<typeof createHub>;

const flushMs = 50;
const heartbeatMs = 15_000;
const largestBatchBytes = 2 ** 20;
/** What may wait for a slow reader; beyond it the reader misses frames, and is told to fetch anew once it catches up. */
const backlogBytes = 2 ** 18;
const longestLagMs = 30_000;
const endTimeoutMs = 1000;
/**
 * A user's oldest stream makes room for a new one once it is this old: it may be a connection that died unnoticed. One
 * that is alive is told to come back much later, so that too many open pages do not end each other's streams in turns.
 */
const replaceableAfterMs = 60_000;

const open = gauge("sonde_streams_open", "Server-sent event streams that are open");
const lagged = counter("sonde_streams_lagged_total", "Readers too slow for their stream");

/** Hands the frames of EVENTS, and live figures, to every open stream. Each frame is encoded once. */
export function createHub({ clock, maxStreams, maxStreamsPerUser, capacity = 10_000 }: HubOptions) {
  const ring = createRing(capacity);
  const clients = new Set<Client>();
  const byUser = new Map<number, Set<Client>>();
  const bySession = new Map<string, Set<Client>>();
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let timer: NodeJS.Timeout | null = null;
  let flushedAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const resetFrame = () => encodeFrame({ event: "reset", data: {} }, ring.lastId());

  const enqueue = (frame: Buffer) => {
    if (clients.size === 0) return;
    pending.push(frame);
    pendingBytes += frame.length;
    if (pendingBytes >= largestBatchBytes) flush();
    else timer ??= setTimeout(flush, Math.max(0, flushMs - (clock.elapsedMs() - flushedAtMs)));
  };

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    flushedAtMs = clock.elapsedMs();
    if (pending.length === 0) return;
    const batch = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    for (const client of clients) write(client, batch);
  };

  const write = (client: Client, bytes: Buffer) => {
    if (client.laggingSinceMs !== null) return;
    client.sink.write(bytes);
    if (client.sink.writableLength <= backlogBytes) return;
    lagged.inc();
    client.laggingSinceMs = clock.elapsedMs();
    client.sink.once("drain", () => {
      client.laggingSinceMs = null;
      if (clients.has(client)) client.sink.write(resetFrame());
    });
  };

  const remove = (client: Client) => {
    if (!clients.delete(client)) return;
    open.set(clients.size);
    take(byUser, client.userId, client);
    take(bySession, client.sessionHash, client);
  };

  /** A client that does not read does not notice the end either: its connection is closed. */
  const finish = (client: Client) => {
    remove(client);
    client.sink.end();
    const cut = setTimeout(() => client.sink.destroy(), endTimeoutMs).unref();
    client.sink.once("close", () => clearTimeout(cut));
  };

  const heartbeatTimer = setInterval(() => {
    for (const client of clients) {
      const { laggingSinceMs, sink, expiresAtMs } = client;
      if (expiresAtMs <= clock.now()) finish(client);
      else if (laggingSinceMs !== null && clock.elapsedMs() - laggingSinceMs > longestLagMs) sink.destroy();
      else write(client, heartbeat);
    }
  }, heartbeatMs).unref();

  return {
    /** The stream begins, or begins anew: whoever listens must fetch everything. */
    begin(id: EventId): void {
      ring.reset(id);
      enqueue(resetFrame());
    },
    /** A fact, in the order of its stream; a null frame only moves the place to resume from. */
    fact(sequence: number, frame: Frame | null): void {
      const id = formatEventId({ createdMs: ring.createdMs(), sequence });
      const bytes = frame === null ? null : encodeFrame(frame, id);
      ring.push(sequence, bytes);
      if (bytes !== null) enqueue(bytes);
    },
    /** Live figures, which nobody resumes from. */
    live(frame: Frame): void {
      if (clients.size > 0) enqueue(encodeFrame(frame));
    },
    /**
     * Opens a stream; `onOpen` runs once it is sure to, before its first bytes.
     * @throws AppError `too_many` for one user, `unavailable` while it stops or is full; `invalid` where its reader has
     *   left already
     */
    add(reader: Reader, onOpen: () => void = () => {}): void {
      if (closed || clients.size >= maxStreams) {
        throw new AppError("unavailable", "The {service} service is not available at the moment", {
          params: { service: "events" },
        });
      }
      if (reader.sink.closed) throw connectionClosed();
      makeRoom(reader.userId);
      onOpen();
      // What waits is within the ring already: the newcomer must not get it twice.
      flush();
      const client: Client = { ...reader, openedAtMs: clock.elapsedMs(), laggingSinceMs: null };
      clients.add(client);
      put(byUser, client.userId, client);
      put(bySession, client.sessionHash, client);
      open.set(clients.size);
      client.sink.once("close", () => remove(client));
      write(client, Buffer.concat([opening, ...resume(reader.lastEventId)]));
    },
    /** Ends the streams of a session that is over. */
    endSession(hash: string): void {
      for (const client of bySession.get(hash) ?? []) finish(client);
    },
    size: (): number => clients.size,
    lastId: ring.lastId,
    /** Ends every stream, and takes no more. */
    close(): void {
      closed = true;
      clearInterval(heartbeatTimer);
      flush();
      for (const client of clients) finish(client);
    },
  };

  /** Ends the user's oldest stream where they have as many as they may. @throws AppError `too_many` while that one is young */
  function makeRoom(userId: number): void {
    // A set keeps the order in which streams were opened.
    const [oldest, ...others] = byUser.get(userId) ?? [];
    if (oldest === undefined || others.length + 1 < maxStreamsPerUser) return;
    const waitMs = oldest.openedAtMs + replaceableAfterMs - clock.elapsedMs();
    if (waitMs <= 0) {
      write(oldest, comeBackLater);
      return finish(oldest);
    }
    throw new AppError("too_many", "At most {max} event streams at once", {
      params: { max: maxStreamsPerUser },
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  function resume(lastEventId: string | undefined): Buffer[] {
    if (lastEventId === undefined) return [encodeId(ring.lastId())];
    const id = parseEventId(lastEventId);
    const missed = id === null ? null : ring.after(id);
    const sizeBytes = missed?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    // Fetching anew is less than to read through all of it.
    return missed === null || sizeBytes > backlogBytes ? [resetFrame()] : missed;
  }
}

function put<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

/** Empty sets are not kept. */
function take<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
