import type { Clock } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import {
  backlogBytes,
  createBroadcast,
  createStreamCount,
  encodeFrame,
  type Sink,
  type StreamCount,
} from "./broadcast.ts";
import type { EventFrame } from "./present.ts";
import { createRing, type EventId, formatEventId, parseEventId } from "./ring.ts";

export type Reader = {
  sink: Sink;
  userId: number;
  sessionHash: string;
  expiresAtMs: number;
  lastEventId?: string | undefined;
};
type Client = Reader & { openedAtMs: number };

/**
 * `maxStreams` in all, unless `streams` counts them; `maxStreamsPerUser` over all sessions of one user; `capacity`:
 * events to resume from.
 */
type HubOptions = {
  clock: Clock;
  maxStreams: number;
  maxStreamsPerUser: number;
  capacity?: number;
  streams?: StreamCount;
};
export type Hub = ReturnType<typeof createHub>;

/**
 * The age from which a user's oldest stream makes room for a new one: it may be a dead connection. A live one is sent a
 * long retry delay, so that many open pages do not end each other's streams in turns.
 */
const replaceableAfterMs = 60_000;

const opening = Buffer.from(": open\nretry: 1000\n\n");
/** For a stream that made room for another of its user: ten minutes until its client should come back. */
const comeBackLater = Buffer.from("retry: 600000\n\n");
/** An id alone: dispatches no event, but a client that reconnects resumes from it. */
const encodeId = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`);

/** Hands the frames of EVENTS, and live figures, to the streams of all users. Each frame is encoded once. */
export function createHub({ clock, maxStreams, maxStreamsPerUser, capacity = 10_000, streams }: HubOptions) {
  const ring = createRing(capacity);
  const resetFrame = () => encodeFrame({ event: "reset", data: {} }, ring.lastId());
  const readers = createBroadcast<Client>({
    clock,
    streams: streams ?? createStreamCount(maxStreams),
    catchUp: resetFrame,
    isOver: ({ expiresAtMs }) => expiresAtMs <= clock.now(),
  });

  return {
    /** The stream starts, or starts again: listeners must fetch everything. */
    begin(id: EventId): void {
      ring.reset(id);
      readers.send(resetFrame());
    },
    /** A fact, in the order of its stream; a null frame only moves the place to resume from. */
    fact(sequence: number, frame: EventFrame | null): void {
      const id = formatEventId({ createdMs: ring.createdMs(), sequence });
      const bytes = frame === null ? null : encodeFrame(frame, id);
      ring.push(sequence, bytes);
      if (bytes !== null) readers.send(bytes);
    },
    /** Live figures, which are not part of resuming. */
    live(frame: EventFrame): void {
      if (readers.size() > 0) readers.send(encodeFrame(frame));
    },
    /**
     * Opens a stream; `onOpen` runs once it is sure to, before its first bytes.
     * @throws AppError `too_many` for one user, `unavailable` while it stops or is full; `invalid` where its reader has
     *   left already
     */
    add(reader: Reader, onOpen: () => void = () => {}): void {
      readers.mustHaveRoom();
      if (reader.sink.closed) throw connectionClosed();
      makeRoom(reader.userId);
      onOpen();
      readers.add({ ...reader, openedAtMs: clock.elapsedMs() }, () =>
        Buffer.concat([opening, ...resume(reader.lastEventId)]),
      );
    },
    /** Ends the streams of a session that is over. */
    endSession(hash: string): void {
      for (const client of readers.readers()) if (client.sessionHash === hash) readers.finish(client);
    },
    size: readers.size,
    lastId: ring.lastId,
    /** Ends every stream, and takes no more. */
    close: readers.close,
  };

  /** Ends the user's oldest stream where they have as many as they may. @throws AppError `too_many` while that one is young */
  function makeRoom(userId: number): void {
    const [oldest, ...others] = [...readers.readers()].filter((client) => client.userId === userId);
    if (oldest === undefined || others.length + 1 < maxStreamsPerUser) return;
    const waitMs = oldest.openedAtMs + replaceableAfterMs - clock.elapsedMs();
    if (waitMs <= 0) {
      readers.write(oldest, comeBackLater);
      return readers.finish(oldest);
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
    // Fetching the page again is less than a long backlog.
    return missed === null || sizeBytes > backlogBytes ? [resetFrame()] : missed;
  }
}
