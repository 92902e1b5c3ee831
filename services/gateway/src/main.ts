import { listen } from "@sonde/kit/http/server";
import { watchMaintenance } from "@sonde/domain/maintenance/watch";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { type Foundation, startService } from "@sonde/kit/service/start";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentBuilder } from "./agent-path/downloads.ts";
import { forwardTo, startHeartbeat } from "./agent-path/forward.ts";
import { createHandler, listenOptions } from "./app.ts";
import { type Config, readConfig } from "./config.ts";
import { startFeed } from "./events/feed.ts";
import { createHub, type Reader } from "./events/hub.ts";
import { createStreamCount } from "./events/broadcast.ts";
import { createDocumentReader } from "./import/reader.ts";
import { notifyStreams } from "./events/maintenance.ts";
import { startPresence } from "./pings/presence.ts";
import { startPingIntake } from "./pings/start.ts";
import { acceptRunners } from "./runner-path/connections.ts";
import { connectServices, waitForServices } from "./services.ts";
import { createKeyUse } from "./sessions/key-use.ts";
import { watchSessions } from "./sessions/sessions.ts";
import { loadSite } from "./site/site.ts";
import { createStatusStreams } from "./status/streams.ts";
import { watchStatus } from "./status/view.ts";
import { createLimits } from "./middleware/limits.ts";
import { createScrape } from "./prometheus/read.ts";
import { createMonitorOrder } from "./uptimes/order.ts";

const drainMs = 20_000;

type Own = { address: AddressInfo };

/** Ready even without auth or metrics: it then reports what is unavailable. */
export const start = (config: Config, agentBuilder: AgentBuilder | null = null): Promise<Service & Own> =>
  startService({ name: "gateway", config, staysReady: true, build: (service) => build(service, config, agentBuilder) });

async function build(service: Foundation, config: Config, agentBuilder: AgentBuilder | null): Promise<Own> {
  const { log, clock, use } = service;
  const bus = await service.connectBus();
  const services = connectServices(bus);
  const sessions = use(await watchSessions({ bus, auth: services.auth }));
  const [site, docs] = await Promise.all([loadSite(config.webDist), loadSite(config.docsDist)]);
  const streams = createStreamCount(config.maxStreams);
  const pages = use(watchStatus({ bus, clock, log }));
  const maxPerAddress = config.maxPublicStreamsPerAddress;
  const status = { pages, streams: createStatusStreams({ clock, streams, maxPerAddress }) };
  const mayStay = ({ session, address }: Reader) => sessions.keepsRights(session, address);
  const hub = createHub({ ...config, clock, streams, mayStay });
  const feed = use(await startFeed(bus, hub));
  const maintenance = use(watchMaintenance(bus));
  use(notifyStreams({ maintenance, hub, clock, log }));
  sessions.onEnd((hash) => hub.endSession(hash));
  if (!site.has("/index.html")) log.warn({ folder: config.webDist }, "the web app is not built; serving only the API");

  const documentReader = use(createDocumentReader());
  const forward = use(forwardTo(config.agentIngestUrl));
  const pings = startPingIntake({ bus, config, ofHost: pages.ofHost, monitors: services.monitors, clock, log });
  use(pings);
  const limits = createLimits();
  const handle = createHandler({
    config,
    services,
    sessions,
    keyUse: use(createKeyUse(services.keys, clock, log)),
    hub,
    maintenance,
    site,
    docs,
    status,
    forward,
    pings,
    agentBuilder,
    documentReader,
    ...limits,
    monitorOrder: createMonitorOrder(services, clock),
    scrape: createScrape({ services, maintenance, clock }),
    clock,
    log,
    spans: bus.spans,
  });
  await Promise.all([feed.current, pages.current, waitForServices(services, config.waitSeconds, log)]);
  const upgrades = acceptRunners({ bus, config, ofHost: pages.ofHost, countRefusal: limits.runners, log });
  const http = await listen(handle, { ...listenOptions, host: config.host, port: config.port, upgrades });
  use({ stop: () => http.drain(drainMs) });
  use(upgrades);
  use({ stop: hub.close });
  use({ stop: status.streams.close });
  use(startPresence(bus, pings));
  // Unready, but still serving: load balancers need time to move traffic.
  use({ stop: () => (http.retire(), sleep(config.unreadySeconds * 1000)) });
  if (config.agentIngestUrl !== null) use(startHeartbeat(bus, forward));
  log.info({ address: http.address }, "listening");
  if (config.configDir !== null) {
    const options = { path: config.configDir, allowDelete: config.configAllowDelete };
    const { watchFolder } = await import("./apply/folder.ts");
    use(watchFolder({ ...options, reader: documentReader, services, clock, log }));
  }
  return { address: http.address };
}

if (import.meta.main) await runMain("gateway", () => start(readConfig()));
