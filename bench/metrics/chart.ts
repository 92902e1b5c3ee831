import { startNats } from "@sonde/kit/embedded/nats";
import { serve } from "@sonde/kit/bus/rpc";
import { principals } from "@sonde/gateway/testing/principals";
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import type { Context } from "@sonde/metrics/context";
import { endpoints } from "@sonde/metrics/endpoints";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { startWatched } from "../gateway/processes.ts";

export type Charts = {
  /** The 30-day chart of a monitor as the screen asks for it, there and back. */
  ask(monitorId: number): Promise<void>;
  stop(): Promise<void>;
};

/** A gateway as a process of its own that asks this one over a bus; stand-ins answer for the other services. */
export async function startCharts(ctx: Context): Promise<Charts> {
  const nats = await startNats();
  const system = await startFakeSystem(nats.url);
  await system.served.metrics.stop();
  let asked = 0;
  let laterMs = 0;
  // Each time a second has passed: else the answer of before would do.
  const clock = { ...ctx.clock, elapsedMs: () => performance.now() + laterMs };
  const metrics = endpoints({ ...ctx, clock }, { hurry: async () => {} });
  // The stand-in of `monitors` knows two monitors alone: whose chart it is, is said here.
  await serve(system.bus, metricsContract, {
    ...metrics,
    monitorHistory: (request, call) => metrics.monitorHistory({ ...request, monitorId: asked }, call),
  });
  const session = principals.viewer;
  await system.putSession(session, "viewer");
  const gateway = await startWatched("gateway.ts", { NATS_URL: nats.url, GATEWAY_WAIT_SECONDS: "30" });
  return {
    async ask(monitorId) {
      asked = monitorId;
      laterMs += 1_000;
      const response = await fetch(
        `http://127.0.0.1:${gateway.port}/api/monitors/7/history?range=30d&step=1h&timeZone=Asia/Shanghai`,
        { headers: { authorization: `Bearer ${session.token}` } },
      );
      const body = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${body}`);
    },
    async stop() {
      await gateway.stop();
      await system.stop();
      await nats.stop();
    },
  };
}
