import { countedAddress } from "@sonde/kit/addresses";
import { AppError, unavailable } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import type { TimerClock } from "@sonde/kit/time/clock";
import { isOutdated, updatedAtOf, outdatedAfterMs, type PageStates } from "@sonde/proto/http/status/snapshot";
import {
  type ChangedEvent,
  type OverallEvent,
  overallState,
  type PublicState,
  type StateEvent,
  verdictOf,
} from "@sonde/proto/http/status/status";
import { createBroadcast, encodeFrame, type Sink, type StreamCount } from "../events/broadcast.ts";
import type { PublishedPage, StatusView } from "./view.ts";

type StreamVisitor = {
  sink: Sink;
  address: string;
  mayStay: () => boolean;
};
export type StatusStreams = ReturnType<typeof createStatusStreams>;
type StatusStreamOptions = {
  clock: TimerClock;
  streams: StreamCount;
  /** Visitors in an office share one address. */
  maxPerAddress: number;
};

/** Reserves a tenth of all streams for logged-in users. */
const share = 0.9;
/** Longer than for logged-in users: many visitors reconnect when a gateway restarts. */
const opening = Buffer.from(": open\nretry: 3000\n\n");
const tooManyRetrySeconds = 60;

export function createStatusStreams({ clock, streams, maxPerAddress }: StatusStreamOptions) {
  const rooms = new Map<StatusView, Room>();
  let closed = false;
  const roomOf = (view: StatusView): Room => {
    const room = rooms.get(view) ?? openRoom(view, clock, streams);
    if (!rooms.has(view)) {
      rooms.set(view, room);
      view.onAccess(() => {
        room.endUnauthorized();
        if (view.access() !== null) return;
        room.close();
        rooms.delete(view);
      });
    }
    return room;
  };

  return {
    /**
     * `onOpen` runs when the stream is certain to open.
     * @throws AppError `too_many` for one address; `unavailable` until the page is available, when shutting down or
     * full; `invalid` if the client has disconnected
     */
    add(view: StatusView, visitor: StreamVisitor, onOpen: () => void): void {
      if (view.published() === null) throw unavailable("status-page");
      if (closed) throw unavailable("events");
      const { readers } = roomOf(view);
      readers.requireCapacity();
      if (visitor.sink.closed) throw connectionClosed();
      const network = countedAddress(visitor.address);
      const all = [...rooms.values()].flatMap((room) => [...room.readers.readers()]);
      if (all.filter((reader) => reader.network === network).length >= maxPerAddress) {
        throw new AppError("too_many", "At most {max} event streams can be open at once", {
          params: { max: maxPerAddress },
          retryAfterSeconds: tooManyRetrySeconds,
        });
      }
      onOpen();
      readers.add({ ...visitor, network }, () => Buffer.concat([opening, rooms.get(view)!.overallFrame()]));
    },
    size: (): number => [...rooms.values()].reduce((sum, { readers }) => sum + readers.size(), 0),
    close(): void {
      closed = true;
      for (const room of rooms.values()) room.close();
    },
  };
}

type Room = ReturnType<typeof openRoom>;

function openRoom(view: StatusView, clock: TimerClock, streams: StreamCount) {
  let last: OverallEvent | null = null;
  const overallFrame = () => {
    const known = view.published();
    return known === null ? Buffer.alloc(0) : encodeFrame({ event: "status", data: overallOf(known, clock.now()) });
  };
  const readers = createBroadcast<StreamVisitor & { network: string }>({
    clock,
    streams,
    share,
    // Fetching the page again provides what they missed.
    catchUp: () => Buffer.concat([encodeFrame({ event: "changed", data: {} }), overallFrame()]),
    isExpired: (reader) => !reader.mayStay(),
  });

  let cancel = () => {};
  const sendOverall = (known: PublishedPage) => {
    const overall = overallOf(known, clock.now());
    if (!isChange(last, overall)) return;
    last = overall;
    readers.send(encodeFrame({ event: "status", data: overall }));
  };
  /** Nothing announces that messages are missing, so a timer detects an outdated page. */
  const watchAge = (known: PublishedPage) => {
    cancel();
    const leftMs = known.states.atMs + outdatedAfterMs + 1 - clock.now();
    cancel = leftMs > 0 ? clock.setTimeout(() => sendOverall(known), leftMs) : () => {};
  };
  const first = view.published();
  if (first !== null) {
    last = overallOf(first, clock.now());
    watchAge(first);
  }
  view.onChange((now, before) => {
    watchAge(now);
    if (before !== null && readers.size() > 0) {
      for (const frame of changesBetween(before, now)) readers.send(encodeFrame(frame));
    }
    sendOverall(now);
  });

  return {
    readers,
    overallFrame,
    endUnauthorized(): void {
      for (const reader of readers.readers()) if (!reader.mayStay()) readers.finish(reader);
    },
    close(): void {
      cancel();
      readers.close();
    },
  };
}

type StatusFrame =
  | { event: "monitor" | "agent"; data: StateEvent }
  | { event: "status"; data: OverallEvent }
  | { event: "changed"; data: ChangedEvent };

/** Minimum interval between frames that differ only in `updatedAt`. */
const repeatedAfterMs = 10_000;

function overallOf({ summary, states }: PublishedPage, nowMs: number): OverallEvent {
  const shown = shownStates(summary, states);
  return {
    state: overallState(shown, summary.openImpacts),
    ill: shown.filter((state) => verdictOf(state) === "ill").length,
    total: shown.length,
    updatedAt: updatedAtOf(states),
    outdated: isOutdated(states, nowMs),
  };
}

function isChange(last: OverallEvent | null, now: OverallEvent): boolean {
  if (last === null || last.state !== now.state || last.outdated !== now.outdated) return true;
  if (last.ill !== now.ill || last.total !== now.total) return true;
  return Date.parse(now.updatedAt ?? "") - Date.parse(last.updatedAt ?? "") >= repeatedAfterMs;
}

function changesBetween(before: PublishedPage, now: PublishedPage): StatusFrame[] {
  const frames: StatusFrame[] = [];
  for (const [event, of] of [
    ["monitor", "monitors"],
    ["agent", "agents"],
  ] as const) {
    for (const id of now.summary[of]) {
      const [was, is] = [before.states[of][id], now.states[of][id]];
      if (is === undefined || (was?.status === is.status && was.sinceMs === is.sinceMs)) continue;
      frames.push({ event, data: { id, status: is.status, since: new Date(is.sinceMs).toISOString() } });
    }
  }
  if (before.summary.content !== now.summary.content) frames.push({ event: "changed", data: {} });
  return frames;
}

function shownStates({ monitors, agents }: PublishedPage["summary"], states: PageStates): PublicState[] {
  return [
    ...monitors.map((id) => states.monitors[id]?.status ?? "unknown"),
    ...agents.map((id) => states.agents[id]?.status ?? "unknown"),
  ];
}
