import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@sonde/kit/bus";
import { silentLog } from "@sonde/kit/log";
import { natsAdmin } from "./nats-users.ts";

const patienceMs = 10_000;

/**
 * Makes all streams and buckets of the embedded server, and gives them this version's bounds, as its administrator:
 * a service may make its own where they are missing, and change none. Gives up silently after ten seconds; the
 * services then say what is wrong with the server.
 */
export async function makeStreams(adminUrl: string): Promise<void> {
  const connecting = connectBus({ url: adminUrl, name: natsAdmin, log: silentLog, shrink: 4 });
  const closing = connecting.then((bus) => bus.close());
  closing.catch(() => {});
  await Promise.race([closing, sleep(patienceMs, undefined, { ref: false })]);
}
