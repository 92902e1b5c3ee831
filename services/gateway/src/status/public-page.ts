import type { Bus } from "@sonde/kit/bus/connect";
import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { Config } from "../config.ts";
import type { StreamCount } from "../events/stream-count.ts";
import type { Site } from "../site/site.ts";
import { statusAssets } from "./assets.ts";
import { createDocuments, type Documents } from "./documents.ts";
import { createMaker, type Maker } from "./maker.ts";
import { createStatusStreams, type StatusStreams } from "./streams.ts";
import { type StatusView, watchStatus } from "./view.ts";

/** What the routes of the public page stand on: all of it answers from memory. */
export type PublicPage = { view: StatusView; documents: Documents; streams: StatusStreams };

type Options = {
  config: Pick<Config, "publicUrl" | "maxPublicStreamsPerAddress">;
  clock: TimerClock;
  log: Log;
  site: Site;
  streams: StreamCount;
};

/** The public page as the bus tells of it. `current` settles once what it held at the start was read. */
export function startPublicPage({ bus, ...options }: Options & { bus: Bus }) {
  const maker = createMaker();
  const view = watchStatus({ bus, log: options.log, maker });
  const page = publicPageOver({ ...options, view, maker });
  return {
    ...page,
    current: view.current,
    stop: async () => {
      await view.stop();
      maker.stop();
    },
  };
}

/** The same over a view that somebody else keeps. */
export function publicPageOver(options: Options & { view: StatusView; maker: Maker }): PublicPage {
  const { config, clock, log, site, streams, view, maker } = options;
  const around = { publicUrl: config.publicUrl, assets: statusAssets(site) };
  return {
    view,
    documents: createDocuments({ view, maker, clock, log, around }),
    streams: createStatusStreams({ view, clock, streams, mostPerAddress: config.maxPublicStreamsPerAddress }),
  };
}
