import { connectBus } from "@sonde/kit/bus/connect";
import { natsAdmin } from "@sonde/kit/bus/nats-users";
import { silentLog } from "@sonde/kit/service/log";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";

const defaultPatienceMs = 10_000;

/**
 * Makes all streams and buckets of the embedded server, with this version's bounds, as its administrator: a service may
 * make its own if they are missing, and change none. Returns a warning if it gave up after ten seconds; the services
 * then report what is wrong with the server.
 */
export async function makeStreams(adminUrl: string, maxWaitMs = defaultPatienceMs): Promise<string | undefined> {
  const giveUp = new AbortController();
  const options = { url: adminUrl, name: natsAdmin, log: silentLog, shrink: 4, signal: giveUp.signal };
  const making = connectBus(options).then(async (bus) => {
    // No runner of the previous version runs here, so these runners need not wait for the service monitors.
    await bus.kv(buckets.definitions);
    await bus.close();
  });
  making.catch(() => {}); // Given up below.
  const made = making.then(() => true);
  if (await Promise.race([made, sleep(maxWaitMs, false, { ref: false })])) return undefined;
  giveUp.abort();
  return `NATS did not respond to stream requests for ${maxWaitMs / 1000} s: streams keep their current limits.`;
}
