import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { Log } from "@sonde/kit/service/log";
import type { Spans } from "@sonde/kit/telemetry/spans";
import type { Clock } from "@sonde/kit/time/clock";
import type { AgentBuilder } from "./agent-path/downloads.ts";
import type { Forward } from "./agent-path/forward.ts";
import type { Config } from "./config.ts";
import type { Hub } from "./events/hub.ts";
import type { DocumentReader } from "./import/reader.ts";
import type { GatewayLimits } from "./middleware/limits.ts";
import type { Pings } from "./pings/pings.ts";
import type { Services } from "./services.ts";
import type { KeyUse } from "./sessions/key-use.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Site } from "./site/site.ts";
import type { StatusStreams } from "./status/streams.ts";
import type { StatusPages } from "./status/view.ts";
import type { MonitorOrder } from "./uptimes/order.ts";

export type Deps = GatewayLimits & {
  config: Pick<
    Config,
    | "host"
    | "publicUrl"
    | "trustedProxies"
    | "minIntervalMinutes"
    | "footerLinks"
    | "maxStreams"
    | "maxStreamsPerUser"
    | "maxPublicStreamsPerAddress"
    | "agentDownloadUrl"
    | "agentDownloadDir"
    | "agentDownloadKey"
  >;
  services: Services;
  sessions: Sessions;
  keyUse: KeyUse;
  hub: Hub;
  maintenance: Pick<MaintenanceWatch, "at" | "covered" | "silencedUntil">;
  forward: Forward;
  pings: Pings;
  site: Site;
  docs: Site;
  status: { pages: StatusPages; streams: StatusStreams };
  documentReader: DocumentReader;
  monitorOrder: MonitorOrder;
  scrape: (format: "sonde" | "kuma", ask: AskOptions) => Promise<string>;
  clock: Clock;
  log: Log;
  agentBuilder: AgentBuilder | null;
  spans: Spans | null;
};
