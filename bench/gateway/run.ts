/**
 * Measures the gateway on loopback and prints each figure next to its goal: `npm run bench -- gateway`. `--write`
 * updates bench/results/gateway.md. Names (`requests`, `logins`, `streams`) select parts; a number sets the
 * milliseconds of each.
 */
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { startNats } from "@sonde/embedded/nats";
import { reportFigures } from "@sonde/testing/report";
import type { Figure } from "@sonde/testing/figures";
import { loginFlood } from "./login-flood.ts";
import { memoryRequests } from "./memory-requests.ts";
import { startWatched, type Watched } from "./processes.ts";
import { streaming } from "./streams.ts";

type Fake = Awaited<ReturnType<typeof startFakeSystem>>;
const measureMs = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 10_000;
const scenarios: Record<string, () => Promise<Figure[]>> = {
  requests: () => besideFakes((gateway, system) => memoryRequests(gateway, system, measureMs)),
  logins: () => loginFlood(measureMs),
  streams: () => besideFakes((gateway, system) => streaming(gateway, system, measureMs)),
};

const chosen = process.argv.slice(2).filter((name) => name in scenarios);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(scenarios)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  figures.push(...(await measure()));
}
await reportFigures("bench/results/gateway", figures);
process.exit(0);

/** Runs the gateway in its own process, with fake services on a real bus. */
async function besideFakes(measure: (gateway: Watched, system: Fake) => Promise<Figure[]>): Promise<Figure[]> {
  const nats = await startNats();
  const system = await startFakeSystem(nats.url);
  const gateway = await startWatched("gateway.ts", { NATS_URL: nats.url, GATEWAY_WAIT_SECONDS: "30" });
  try {
    return await measure(gateway, system);
  } finally {
    await gateway.stop();
    await system.stop();
    await nats.stop();
  }
}
