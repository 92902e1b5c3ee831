/**
 * Measures what API keys and scrapes of `/api/metrics` cost, and how soon a revoked key is refused everywhere: `npm run bench -- keys`,
 * with `--write` into bench/results/keys.md, with a number for so many milliseconds of requests.
 */
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { startNats } from "@sonde/kit/embedded/nats";
import { startWatched } from "../gateway/processes.ts";
import { reportFigures } from "../pipeline/report.ts";
import { keyCosts, ownCost, scrapeCosts } from "./costs.ts";
import { revocation } from "./revocation.ts";

const measureMs = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 10_000;
const nats = await startNats();
const system = await startFakeSystem(nats.url);
const gateway = await startWatched("gateway.ts", {
  NATS_URL: nats.url,
  GATEWAY_WAIT_SECONDS: "30",
  LOG_LEVEL: "error",
});
const figures = [await ownCost(), await keyCosts(gateway, system, measureMs), await scrapeCosts(gateway, system)];
await gateway.stop();
await system.stop();
await nats.stop();
await reportFigures("keys", [...figures, await revocation()]);
process.exit(0);
