import { connectBus } from "@sonde/kit/bus/connect";
import { createLog } from "@sonde/kit/service/log";
import { natsAdmin } from "@sonde/kit/embedded/nats-users";

// Makes all streams and buckets of a real nats-server and gives them this version's bounds, which no service may.
const [url] = process.argv.slice(2);
if (url === undefined) {
  process.stderr.write("Say where: npm run nats:streams -- nats://sonde:password@nats.example.com:4222\n");
  process.exit(2);
}
const bus = await connectBus({ url, name: natsAdmin, log: createLog("streams", "warn") });
await bus.close();
process.stdout.write("All streams and buckets are there.\n");
