import { connectBus } from "@sonde/kit/bus/connect";
import { env, readConfig } from "@sonde/kit/service/config";
import { createLog } from "@sonde/kit/service/log";
import { natsAdmin } from "@sonde/kit/bus/nats-users";
import * as z from "zod";

// Creates all streams and buckets on an external nats-server and applies this version's limits. Services may not do this.
const [url, limit = "30"] = process.argv.slice(2);
const seconds = Number(limit);
if (url === undefined || !(seconds > 0 && seconds <= 3_600)) {
  process.stderr.write("Usage: npm run nats:streams -- nats://sonde:password@nats.example.com:4222 [SECONDS]\n");
  process.exit(2);
}
const schema = z.object({ NATS_STREAM_REPLICAS: env.int(1, { min: 1, max: 5 }) });
const { NATS_STREAM_REPLICAS: replicas } = readConfig(schema, process.env);
const giveUp = AbortSignal.timeout(seconds * 1_000);
// The client has no timeout for a server that accepts the connection but never responds to JetStream requests.
giveUp.addEventListener("abort", () => {
  process.stderr.write(`NATS did not respond to stream requests for ${seconds} s.\n`);
  process.exit(1);
});
const options = { url, name: natsAdmin, log: createLog("streams", "warn"), replicas, signal: giveUp };
const bus = await connectBus(options);
await bus.close();
process.stdout.write("All streams and buckets exist.\n");
process.exit(0);
