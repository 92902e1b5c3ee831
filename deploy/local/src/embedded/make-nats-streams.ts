import { connectBus } from "@sonde/kit/bus/connect";
import { env, readConfig } from "@sonde/kit/service/config";
import { createLog } from "@sonde/kit/service/log";
import { natsAdmin } from "@sonde/kit/embedded/nats-users";
import { z } from "zod";

// Makes all streams and buckets of a real nats-server and gives them this version's bounds, which no service may.
const [url] = process.argv.slice(2);
if (url === undefined) {
  process.stderr.write("Say where: npm run nats:streams -- nats://sonde:password@nats.example.com:4222\n");
  process.exit(2);
}
const schema = z.object({ NATS_STREAM_REPLICAS: env.int(1, { min: 1, max: 5 }) });
const { NATS_STREAM_REPLICAS: replicas } = readConfig(schema, process.env);
const bus = await connectBus({ url, name: natsAdmin, log: createLog("streams", "warn"), replicas });
await bus.close();
process.stdout.write("All streams and buckets are there.\n");
