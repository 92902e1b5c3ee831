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
  session: Pick<Session, "hash" | "userId" | "role" | "expiresAtMs" | "key">;
  address: string;
  lastEventId?: string | undefined;
};
type Frame = { whole: Buffer; restricted: Buffer };
type Client = Reader & { openedAtMs: number };

/** `maxStreams` applies unless `streams` is given; `capacity` is the number of events kept for resuming. */
type HubOptions = {
  clock: Clock;
  maxStreams: number;
  maxStreamsPerUser: number;
  capacity?: number;
  streams?: StreamCount;
  mayStay?: (reader: Reader) => boolean;
};
export type Hub = ReturnType<typeof createHub>;

/**
 * From this age a user's oldest stream may be replaced, because it may be dead. If it is alive, it gets a long retry
 * delay, so that many open pages do not keep ending each other's streams.
 */
const replaceableAfterMs = 60_000;

/** How soon an expiry, a revoked scope or a forbidden network ends a stream. */
const rightsMs = 500;

const opening = Buffer.from(": open\nretry: 1000\n\n");
/** Makes a replaced stream's client reconnect after ten minutes. */
const reconnectLater = Buffer.from("retry: 600000\n\n");
/** An id without data dispatches no event, but sets where a reconnecting client resumes. */
const encodeId = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`);

export function createHub(options: HubOptions) {
  const { clock, maxStreams, maxStreamsPerUser, capacity = 10_000, streams, mayStay = () => true } = options;
  const ring = createRing<Frame>(capacity);
  const resetFrame = () => encodeFrame({ event: "reset", data: {} }, ring.lastId());
  const readers = createBroadcast<Client>({
    clock,
    streams: streams ?? createStreamCount(maxStreams),
    catchUp: resetFrame,
    isExpired: (reader) => reader.session.expiresAtMs <= clock.now() || !mayStay(reader),
    expiryCheckMs: rightsMs,
    isRestricted,
  });

  return {
    /** The stream starts or was recreated: clients must fetch everything. */
    begin(id: EventId): void {
      ring.reset(id);
      readers.send(resetFrame());
    },
    /** In stream order; a `null` frame only advances the resume position. */
    fact(sequence: number, frame: EventFrame | null): void {
      const id = formatEventId({ createdMs: ring.createdMs(), sequence });
      const encoded = frame === null ? null : encode(frame, id);
      ring.push(sequence, encoded);
      if (encoded !== null) readers.send(encoded.whole, encoded.restricted);
    },
    /** Sends live figures, which cannot be resumed. */
    live(frame: EventFrame): void {
      if (readers.size() === 0) return;
      const { whole, restricted } = encode(frame);
      readers.send(whole, restricted);
    },
    /**
     * `onOpen` runs when the stream is certain to open.
     * @throws AppError `too_many` for one user, `unavailable` when shutting down or full; `invalid` if the client has
     * disconnected
     */
    add(reader: Reader, onOpen: () => void = () => {}): void {
      readers.requireCapacity();
      if (reader.sink.closed) throw connectionClosed();
      replaceOldest(reader.session.userId);
      onOpen();
      readers.add({ ...reader, openedAtMs: clock.elapsedMs() }, () => Buffer.concat([opening, ...resume(reader)]));
    },
    endSession(hash: string): void {
      for (const client of readers.readers()) if (client.session.hash === hash) readers.finish(client);
    },
    size: readers.size,
    lastId: ring.lastId,
    close: readers.close,
  };

  /** Ends the user's oldest stream if they have reached the maximum. @throws AppError `too_many` if it is recent */
  function replaceOldest(userId: number): void {
    const [oldest, ...others] = [...readers.readers()].filter(({ session }) => session.userId === userId);
    if (oldest === undefined || others.length + 1 < maxStreamsPerUser) return;
    const waitMs = oldest.openedAtMs + replaceableAfterMs - clock.elapsedMs();
    if (waitMs <= 0) {
      readers.write(oldest, reconnectLater);
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
    // Fetching the page again is cheaper than a long backlog.
    return missed === null || sizeBytes > backlogBytes ? [resetFrame()] : missed;
  }
}

const isRestricted = ({ session }: Reader): boolean => !mayWrite(session);

/** Most events look the same to all readers; these are encoded once. */
function encode(frame: EventFrame, id?: string): Frame {
  const whole = encodeFrame(frame, id);
  const view = readerView(frame.data);
  const restricted = view === frame.data ? whole : encodeFrame({ ...frame, data: view }, id);
  return { whole, restricted };
}
