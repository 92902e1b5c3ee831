import { connectBus } from "@sonde/kit/bus/connect";
import { natsAdmin } from "@sonde/kit/bus/nats-users";
import { silentLog } from "@sonde/kit/service/log";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";

const defaultPatienceMs = 10_000;

/**
 * Creates all streams and buckets of the embedded server as its administrator, and applies this version's limits. Services
 * may only create missing ones. Gives up after 10 s and returns a warning; the services then report the server's problem.
 */
export async function makeStreams(adminUrl: string, maxWaitMs = defaultPatienceMs): Promise<string | undefined> {
  const giveUp = new AbortController();
  const options = { url: adminUrl, name: natsAdmin, log: silentLog, shrink: 4, signal: giveUp.signal };
  const making = connectBus(options).then(async (bus) => {
    // Runners wait until monitors creates this bucket, in case of older runners. There are none here.
    await bus.kv(buckets.definitions);
    await bus.close();
  });
  making.catch(() => {}); // It rejects after the abort below.
  const isDone = making.then(() => true);
  if (await Promise.race([isDone, sleep(maxWaitMs, false, { ref: false })])) return undefined;
  giveUp.abort();
  return `NATS did not respond to stream requests for ${maxWaitMs / 1000} s: streams keep their current limits.`;
}
