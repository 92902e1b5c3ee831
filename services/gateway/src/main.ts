import { connectBus } from "@sonde/kit/bus/connect";
import { listen } from "@sonde/kit/http/server";
import { systemClock } from "@sonde/kit/time/clock";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentBuilder } from "./agent-path/agent-downloads.ts";
import { forwardTo } from "./agent-path/forward.ts";
import { startHeartbeat } from "./agent-path/heartbeat.ts";
import { createApp, listenOptions } from "./app.ts";
import { createTurns } from "./batches.ts";
import { type Config, readConfig } from "./config.ts";
import { startFeed } from "./events/feed.ts";
import { createHub } from "./events/hub.ts";
import { createManualChecks } from "./limits/manual-checks.ts";
import { waitForServices } from "./readiness.ts";
import { connectServices } from "./services.ts";
import { watchSessions } from "./sessions/sessions.ts";
import { loadSite } from "./site/site.ts";

const drainMs = 20_000;

/**
 * Starts the gateway; it listens once the services answer, or the configured wait is over.
 * @param agentBuilder builds agents into the configured folder, where somebody does
 */
export async function start(
  config: Config,
  agentBuilder: AgentBuilder | null = null,
): Promise<Service & { address: AddressInfo }> {
  const log = createLog("gateway", config.logLevel);
  const bus = await connectBus({ url: config.natsUrl, name: "gateway", log, shrink: config.local ? 4 : 1 });
  let ready = false;
  // Without auth or metrics a gateway still says what is down, which nobody could who never reached it.
  const checks = { bus: bus.connected, listening: () => ready };
  const ops = await opsServer({ port: config.opsPort, checks, log });
  const services = connectServices(bus);
  const sessions = await watchSessions({ bus, auth: services.auth });
  const hub = createHub({ ...config, clock: systemClock });
  const feed = await startFeed(bus, hub);
  sessions.onEnd((hash) => hub.endSession(hash));
  const site = await loadSite(config.webDist);
  if (!site.has("/index.html")) log.warn({ folder: config.webDist }, "the web app is not built; only the API answers");

  const forward = forwardTo(config.agentIngestUrl);
  const app = createApp({
    config,
    services,
    sessions,
    hub,
    site,
    forward,
    agentBuilder,
    manualChecks: createManualChecks(),
    turns: createTurns(),
    clock: systemClock,
    log,
    spans: bus.spans,
  });
  await Promise.all([feed.current, waitForServices(services, config.waitSeconds, log)]);
  const http = await listen(app.callback(), { ...listenOptions, host: config.host, port: config.port });
  ready = true;
  log.info({ address: http.address }, "listening");
  const stopTelling = config.agentIngestUrl === null ? () => {} : startHeartbeat(bus, forward);

  return {
    address: http.address,
    stop: async () => {
      ready = false;
      stopTelling();
      await sleep(config.unreadySeconds * 1000);
      hub.close();
      await http.drain(drainMs);
      forward.stop();
      await Promise.all([feed.stop(), sessions.stop(), ops.stop()]);
      await bus.close();
    },
  };
}

if (import.meta.main) await runMain("gateway", () => start(readConfig()));
