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
import { mayWrite } from "../sessions/scopes.ts";
import { readerView } from "../sessions/reader-view.ts";
import type { Session } from "../context.ts";
import type { EventFrame } from "./present.ts";
import { createRing, type EventId, formatEventId, parseEventId } from "./ring.ts";

export type Reader = {
  sink: Sink;
  /** As it was when the stream was opened. */
  session: Pick<Session, "hash" | "userId" | "role" | "expiresAtMs" | "key">;
  address: string;
  lastEventId?: string | undefined;
};
/** An event as a frame, and as one for readers who may not write. */
type Frame = { whole: Buffer; restricted: Buffer };
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
  /** True while the present rights of a reader's session are those that the stream was opened with. */
  mayStay?: (reader: Reader) => boolean;
};
export type Hub = ReturnType<typeof createHub>;

/**
 * The age from which a user's oldest stream makes room for a new one: it may be a dead connection. A live one is sent a
 * long retry delay, so that many open pages do not end each other's streams in turns.
 */
const replaceableAfterMs = 60_000;

/** Within it an expiry, a revoked scope or another network ends a stream. */
const rightsMs = 500;

const opening = Buffer.from(": open\nretry: 1000\n\n");
/** For a stream that made room for another of its user: ten minutes until its client should come back. */
const comeBackLater = Buffer.from("retry: 600000\n\n");
/** An id alone: dispatches no event, but a client that reconnects resumes from it. */
const encodeId = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`);

/** Hands the frames of EVENTS, and live figures, to the streams of all users. Each frame is encoded once. */
export function createHub(options: HubOptions) {
  const { clock, maxStreams, maxStreamsPerUser, capacity = 10_000, streams, mayStay = () => true } = options;
  const ring = createRing<Frame>(capacity);
  const resetFrame = () => encodeFrame({ event: "reset", data: {} }, ring.lastId());
  const readers = createBroadcast<Client>({
    clock,
    streams: streams ?? createStreamCount(maxStreams),
    catchUp: resetFrame,
    isOver: (reader) => reader.session.expiresAtMs <= clock.now() || !mayStay(reader),
    isOverEveryMs: rightsMs,
    isRestricted,
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
      const encoded = frame === null ? null : encode(frame, id);
      ring.push(sequence, encoded);
      if (encoded !== null) readers.send(encoded.whole, encoded.restricted);
    },
    /** Live figures, which are not part of resuming. */
    live(frame: EventFrame): void {
      if (readers.size() === 0) return;
      const { whole, restricted } = encode(frame);
      readers.send(whole, restricted);
    },
    /**
     * Opens a stream; `onOpen` runs once it is sure to, before its first bytes.
     * @throws AppError `too_many` for one user, `unavailable` while it stops or is full; `invalid` where its reader has
     *   left already
     */
    add(reader: Reader, onOpen: () => void = () => {}): void {
      readers.mustHaveRoom();
      if (reader.sink.closed) throw connectionClosed();
      makeRoom(reader.session.userId);
      onOpen();
      readers.add({ ...reader, openedAtMs: clock.elapsedMs() }, () => Buffer.concat([opening, ...resume(reader)]));
    },
    endSession(hash: string): void {
      for (const client of readers.readers()) if (client.session.hash === hash) readers.finish(client);
    },
    size: readers.size,
    lastId: ring.lastId,
    /** Ends every stream, and takes no more. */
    close: readers.close,
  };

  /** Ends the user's oldest stream where they have as many as they may. @throws AppError `too_many` while that one is young */
  function makeRoom(userId: number): void {
    const [oldest, ...others] = [...readers.readers()].filter(({ session }) => session.userId === userId);
    if (oldest === undefined || others.length + 1 < maxStreamsPerUser) return;
    const waitMs = oldest.openedAtMs + replaceableAfterMs - clock.elapsedMs();
    if (waitMs <= 0) {
      readers.write(oldest, comeBackLater);
      return readers.finish(oldest);
    }
    throw new AppError("too_many", "At most {max} event streams can be open at once", {
      params: { max: maxStreamsPerUser },
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  function resume(reader: Reader): Buffer[] {
    const { lastEventId } = reader;
    if (lastEventId === undefined) return [encodeId(ring.lastId())];
    const id = parseEventId(lastEventId);
    const form = isRestricted(reader) ? "restricted" : "whole";
    const missed = (id === null ? null : ring.after(id))?.map((frame) => frame[form]) ?? null;
    const sizeBytes = missed?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    // Fetching the page again is less than a long backlog.
    return missed === null || sizeBytes > backlogBytes ? [resetFrame()] : missed;
  }
}

const isRestricted = ({ session }: Reader): boolean => !mayWrite(session);

/** Nearly every event is the same for all, and is then encoded once. */
function encode(frame: EventFrame, id?: string): Frame {
  const whole = encodeFrame(frame, id);
  const view = readerView(frame.data);
  const restricted = view === frame.data ? whole : encodeFrame({ ...frame, data: view }, id);
  return { whole, restricted };
}
