import { start as startAgentIngest } from "@sonde/agent-ingest";
import { readConfig as readAgentIngestConfig } from "@sonde/agent-ingest/config";
import { start as startAuth } from "@sonde/auth";
import { readConfig as readAuthConfig } from "@sonde/auth/config";
import { start as startGateway } from "@sonde/gateway";
import { readConfig as readGatewayConfig } from "@sonde/gateway/config";
import type { Service } from "@sonde/kit/lifecycle";
import { start as startMonitors } from "@sonde/monitors";
import { readConfig as readMonitorsConfig } from "@sonde/monitors/config";
import { serviceEnvironment } from "./service-urls.ts";

/**
 * Every service but the prober and metrics, in one process. The gateway comes last: who reaches it reaches all of
 * Sonde. At the end it goes first, so that no request meets half a Sonde.
 */
export async function startCore(mayOpen: () => Promise<void>): Promise<Service> {
  const gatewayConfig = readGatewayConfig(serviceEnvironment("gateway"));
  const [agentIngest, ...others] = await Promise.all([
    // Only the gateway beside it calls: any free port will do.
    startAgentIngest(readAgentIngestConfig({ AGENT_INGEST_PORT: "0", ...serviceEnvironment("agent-ingest") })),
    startAuth(readAuthConfig(serviceEnvironment("auth"))),
    startMonitors(readMonitorsConfig(serviceEnvironment("monitors"))),
  ]);
  const services = [agentIngest, ...others];
  await mayOpen();
  const agentIngestUrl = gatewayConfig.agentIngestUrl ?? `http://127.0.0.1:${agentIngest.address.port}`;
  const gateway = await startGateway({ ...gatewayConfig, agentIngestUrl });
  return {
    async stop() {
      await gateway.stop();
      await Promise.all(services.map((service) => service.stop()));
    },
  };
}
