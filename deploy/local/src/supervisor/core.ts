import { start as startAgentIngest } from "@sonde/agent-ingest";
import { readConfig as readAgentIngestConfig } from "@sonde/agent-ingest/config";
import { start as startGateway } from "@sonde/gateway";
import { readConfig as readGatewayConfig } from "@sonde/gateway/config";
import type { Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { type AgentBuilds, openAgentBuilds } from "../agent-builds.ts";
import { loadService, serviceEnvironment, servicesOf, stopTogether } from "./processes.ts";

/** The gateway starts last and stops first, so that no request reaches a partially running Sonde. */
export async function startCore(mayOpen: () => Promise<void>): Promise<Service> {
  const gatewayConfig = readGatewayConfig(serviceEnvironment("gateway"));
  const others = servicesOf("core").filter((name) => name !== "gateway" && name !== "agent-ingest");
  const starts = await Promise.all(others.map(loadService));
  const [agentIngest, ...started] = await Promise.all([
    // Called only by the gateway of this process, so any free port is fine.
    startAgentIngest(readAgentIngestConfig({ AGENT_INGEST_PORT: "0", ...serviceEnvironment("agent-ingest") })),
    ...starts.map((start) => start()),
  ]);
  const behind = stopTogether([agentIngest, ...started]);
  await mayOpen();
  const agentIngestUrl = gatewayConfig.agentIngestUrl ?? `http://127.0.0.1:${agentIngest.address.port}`;
  const agentBuilds = await openBuilds();
  const agentDownloadDir = agentBuilds?.folder ?? gatewayConfig.agentDownloadDir;
  const gateway = await startGateway({ ...gatewayConfig, agentIngestUrl, agentDownloadDir }, agentBuilds);
  return {
    async stop() {
      await Promise.all([gateway.stop(), agentBuilds?.stop()]);
      await behind.stop();
    },
  };
}

/** Returns `null` if other downloads are configured, or if the data directory is read-only. */
async function openBuilds(): Promise<AgentBuilds | null> {
  const { AGENT_DOWNLOAD_DIR, AGENT_DOWNLOAD_URL, SONDE_DATA_DIR, LOG_LEVEL } = process.env;
  if (AGENT_DOWNLOAD_DIR || AGENT_DOWNLOAD_URL || !SONDE_DATA_DIR) return null;
  const log = createLog("agent-builds", LOG_LEVEL);
  try {
    return await openAgentBuilds({ dataDir: SONDE_DATA_DIR, warn: (line) => log.warn(line) });
  } catch (fault) {
    log.warn({ err: fault }, "no agents can be built in the data directory");
    return null;
  }
}
