import { createStreamCount } from "../events/broadcast.ts";
import { systemClock, type TimerClock } from "@sonde/kit/time/clock";
import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import { packDocuments } from "@sonde/status-page/testing/documents";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { gzipSync } from "node:zlib";
import type { Deps } from "../deps.ts";
import { createStatusStreams } from "../status/streams.ts";
import { createStatusView, type StatusView } from "../status/view.ts";

export type FakeView = StatusView & {
  /** Takes a newer page, as the bus would bring it; what is left out stays. */
  tell(news: { snapshot?: PageSnapshot; states?: PageStates }): Promise<void>;
  /** States alone, whose documents are still to come. */
  tellStates(states: PageStates): Promise<void>;
};

/** A view of what a test publishes; it knows nothing at first. */
export function fakeView({
  clock = systemClock,
  publicUrl = null,
}: Pick<Options, "clock" | "publicUrl"> = {}): FakeView {
  const { takePart, takeStates, ...view } = createStatusView(clock);
  let snapshot = fakeSnapshot;
  let states = fakeStates;
  return {
    ...view,
    tellStates: (news) => takeStates(gzipSync(JSON.stringify(news))),
    tell: async (news) => {
      ({ snapshot = snapshot, states = states } = news);
      if (news.states !== undefined) await takeStates(gzipSync(JSON.stringify(states)));
      for (const { part, bytes } of await packDocuments({ snapshot, states, publicUrl })) await takePart(part, bytes);
    },
  };
}

type Options = {
  view?: FakeView;
  clock?: TimerClock;
  publicUrl?: string | null;
  mostPerAddress?: number;
  maxStreams?: number;
};

/** The public page of one service that works, unless a test brings its own view. */
export async function fakePublicPage(options: Options = {}): Promise<Deps["status"] & { view: FakeView }> {
  const { clock = systemClock, mostPerAddress = 50, maxStreams = 100 } = options;
  const view = options.view ?? fakeView(options);
  if (options.view === undefined) await view.tell({ snapshot: fakeSnapshot, states: fakeStates });
  return {
    view,
    streams: createStatusStreams({ view, clock, streams: createStreamCount(maxStreams), mostPerAddress }),
  };
}
