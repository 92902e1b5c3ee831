import { AppError, unavailable } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { OverallEvent } from "@sonde/proto/http/status/status";
import { outdatedAfterMs } from "@sonde/proto/http/status/snapshot";
import { createBroadcast, type Sink } from "../events/broadcast.ts";
import { encodeFrame } from "../events/frame.ts";
import type { StreamCount } from "../events/stream-count.ts";
import { countedAddress } from "@sonde/kit/addresses";
import { changesBetween, isNews, overallOf } from "./changes.ts";
import type { PublishedPage, StatusView } from "./view.ts";

/** A visitor's stream; `address` is the visitor's own, behind any proxies. */
export type Visitor = { sink: Sink; address: string };
export type StatusStreams = ReturnType<typeof createStatusStreams>;
export type StatusStreamOptions = {
  view: StatusView;
  clock: TimerClock;
  streams: StreamCount;
  /** How many streams one address may have; the visitors of an office share one. */
  mostPerAddress: number;
};

/** Visitors leave a tenth of all streams to those who are logged in: strangers may not take the last one from them. */
const share = 0.9;
/** Longer than for those who are logged in: a gateway that restarts is met by a crowd. */
const opening = Buffer.from(": open\nretry: 3000\n\n");
const tooManyRetrySeconds = 60;

/** Sends visitors of the public page what changes on it. Each event is encoded once for all. */
export function createStatusStreams({ view, clock, streams, mostPerAddress }: StatusStreamOptions) {
  const byAddress = new Map<string, number>();
  /** What was sent last of the whole. */
  let last: OverallEvent | null = null;
  const overallFrame = () => {
    const known = view.published();
    return known === null ? Buffer.alloc(0) : encodeFrame({ event: "status", data: overallOf(known, clock.now()) });
  };
  const readers = createBroadcast<Visitor & { network: string }>({
    clock,
    streams: streams.upTo(share),
    // A page that is fetched again contains what they missed.
    catchUp: () => Buffer.concat([encodeFrame({ event: "changed", data: {} }), overallFrame()]),
    onLeave: ({ network }) => {
      const left = (byAddress.get(network) ?? 1) - 1;
      if (left === 0) byAddress.delete(network);
      else byAddress.set(network, left);
    },
  });

  let cancel = () => {};
  const sendOverall = (known: PublishedPage) => {
    const overall = overallOf(known, clock.now());
    if (!isNews(last, overall)) return;
    last = overall;
    readers.send(encodeFrame({ event: "status", data: overall }));
  };
  /** Missing messages are not announced, so the page becomes outdated by a timer. */
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
    /**
     * Opens a stream, which begins with the present `status`; `onOpen` runs once it is sure to.
     * @throws AppError `too_many` for one address; `unavailable` before the page is known, while it stops or is full;
     *   `invalid` where its reader has left already
     */
    add(visitor: Visitor, onOpen: () => void): void {
      if (view.published() === null) throw unavailable("status-page");
      readers.mustHaveRoom();
      if (visitor.sink.closed) throw connectionClosed();
      const network = countedAddress(visitor.address);
      const count = byAddress.get(network) ?? 0;
      if (count >= mostPerAddress) {
        throw new AppError("too_many", "At most {max} event streams at once", {
          params: { max: mostPerAddress },
          retryAfterSeconds: tooManyRetrySeconds,
        });
      }
      onOpen();
      byAddress.set(network, count + 1);
      readers.add({ ...visitor, network }, () => Buffer.concat([opening, overallFrame()]));
    },
    size: readers.size,
    close(): void {
      cancel();
      readers.close();
    },
  };
}
