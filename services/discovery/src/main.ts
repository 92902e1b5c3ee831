import { KubeConfig } from "@kubernetes/client-node";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { openOpsPort } from "@sonde/kit/service/ops-port";
import { systemClock } from "@sonde/kit/time/clock";
import { watchCluster } from "./cluster.ts";
import { type Config, apiKeyOf, readConfig } from "./config.ts";
import { startDiscovery } from "./discovery.ts";
import { connectSonde } from "./sonde.ts";

/** A client of Sonde's API instead of a service on the bus, so that one Sonde can serve several clusters. */
export async function start(config: Config): Promise<Service> {
  const name = config.DISCOVERY_NAME;
  const log = createLog("discovery", config.LOG_LEVEL).child({ cluster: name });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const sonde = connectSonde({ url: config.SONDE_URL, key: () => apiKeyOf(config), source: `kubernetes/${name}` });
  const changed = () => discovery.changed();
  const cluster = watchCluster({ config: kubeConfig, namespaces: config.DISCOVERY_NAMESPACES, log, onChange: changed });
  const discovery = startDiscovery({ name, cluster, sonde, clock: systemClock, log });
  const checks = { kubernetes: cluster.isListed, sonde: discovery.isApplied };
  const ops = await openOpsPort({ port: config.OPS_PORT, checks, log });
  return {
    async stop() {
      ops.drain();
      cluster.stop();
      await discovery.stop();
      await ops.stop();
    },
  };
}

if (import.meta.main) await runMain("discovery", () => start(readConfig()));
