import { silentLog } from "@sonde/kit/service/log";
import { systemClock, type TimerClock } from "@sonde/kit/time/clock";
import type { PageSnapshot, PageStates } from "@sonde/proto/http/status-snapshot";
import { gzipSync } from "node:zlib";
import { createStreamCount } from "../events/stream-count.ts";
import type { Site } from "../site/site.ts";
import { type PublicPage, publicPageOver } from "../status/public-page.ts";
import type { Known, StatusView } from "../status/view.ts";
import { createDirectMaker } from "./direct-maker.ts";
import { fakeSnapshot, fakeStates } from "./fake-status-page.ts";

export type FakeView = StatusView & {
  /** Tells of a newer page, as the bus would; what is left out stays. */
  tell(news: { snapshot?: PageSnapshot; states?: PageStates }): Promise<void>;
};

export const gzipped = (value: unknown): Buffer => gzipSync(JSON.stringify(value));

const maker = createDirectMaker();
/** Of all views: the maker is one. */
let told = 0;

/** A view that is told by a test; it knows nothing at first. */
export function fakeView(): FakeView {
  const listeners: ((now: Known, before: Known | null) => void)[] = [];
  let known: Known | null = null;
  return {
    known: () => known,
    onChange: (run) => void listeners.push(run),
    tell: async ({ snapshot, states }) => {
      const before = known;
      const page = snapshot === undefined ? null : { key: String((told += 1)), bytes: gzipped(snapshot) };
      const read = page === null ? null : await maker.read(page);
      if (read !== null && "unreadable" in read) throw new Error(read.unreadable);
      known = {
        page: page ?? before!.page,
        summary: read?.summary ?? before!.summary,
        states: states ?? before!.states,
      };
      for (const run of listeners) run(known, before);
    },
  };
}

type Options = {
  view?: FakeView;
  clock?: TimerClock;
  publicUrl?: string | null;
  site?: Site;
  mostPerAddress?: number;
  maxStreams?: number;
};

/** The public page of one service that works, unless a test brings its own view. */
export async function fakePublicPage(options: Options = {}): Promise<PublicPage & { view: FakeView }> {
  const { clock = systemClock, publicUrl = null, site = new Map(), mostPerAddress = 50, maxStreams = 100 } = options;
  const view = options.view ?? fakeView();
  if (options.view === undefined) await view.tell({ snapshot: fakeSnapshot, states: fakeStates });
  const config = { publicUrl, maxPublicStreamsPerAddress: mostPerAddress };
  const streams = createStreamCount(maxStreams);
  return { ...publicPageOver({ config, clock, log: silentLog, site, streams, view, maker }), view };
}
