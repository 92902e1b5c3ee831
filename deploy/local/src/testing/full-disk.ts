import { closeSync, openSync, statfsSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { watchDisk } from "../embedded/disk-watch.ts";
import { startNats } from "@sonde/embedded/nats";
import { killWhenHung, keepRunning, killServer, probeNats } from "../supervisor/keep-running.ts";

// Run by full-disk.it.test.ts on a small disk. Fills it until NATS fails, and frees it again. Prints the number of
// acknowledged and stored messages, and the lines that the user would see.
const [folder = ""] = process.argv.slice(2);
const lines: string[] = [];
const output = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
/** Five times as fast as real seconds. */
const eachSecond = (run: () => void) => {
  const timer = setInterval(run, 200);
  return () => clearInterval(timer);
};
const natsDir = join(folder, "nats");
let pid = 0;
const nats = await keepRunning(
  "NATS",
  async (port) => {
    const server = await startNats({ dataDir: natsDir, port });
    pid = server.pid;
    killWhenHung("NATS", server, probeNats(server.url), output, eachSecond);
    return server;
  },
  output,
);
const disk = watchDisk(natsDir, output, () => killServer(pid));
const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
const manager = await jetstreamManager(connection);
await manager.streams.add({ name: "KEPT", subjects: ["kept"] });

let acknowledged = 0;
const publish = () =>
  jetstream(connection, { timeout: 1_000 })
    .publish("kept", new Uint8Array(16_000))
    .then(
      () => ++acknowledged > 0,
      () => false,
    );
const ballast = join(folder, "ballast");
const file = openSync(ballast, "w");
const free = () => statfsSync(folder).bavail * statfsSync(folder).bsize;
while (free() > 2 * 1024 * 1024) writeSync(file, Buffer.alloc(256 * 1024));
closeSync(file);
while (await publish());
await disk.check();
unlinkSync(ballast);
await disk.check();
while (!(await publish()));

const { messages } = (await manager.streams.info("KEPT")).state;
process.stdout.write(JSON.stringify({ acknowledged, messages, lines }));
disk.stop();
await connection.close();
await nats.stop();
process.exit(0);
