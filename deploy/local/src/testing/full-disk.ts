import { closeSync, openSync, statfsSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { watchDisk } from "../embedded/disk-watch.ts";
import { startNats } from "@sonde/embedded/nats";
import { endWhenStill, keepRunning, killServer, probeNats } from "../supervisor/keep-running.ts";

// Run by full-disk.it.test.ts on a small disk of its own: fills it, has NATS fail on it, and frees it again. Prints
// what was acknowledged, what is stored, and what was reported to the user.
const [folder = ""] = process.argv.slice(2);
const told: string[] = [];
const words = { say: (line: string) => void told.push(line), warn: (line: string) => void told.push(line) };
/** Seconds that pass five times as fast. */
const eachSecond = (run: () => void) => {
  const timer = setInterval(run, 200);
  return () => clearInterval(timer);
};
const natsDir = join(folder, "nats");
let pid = 0;
const kept = await keepRunning(
  "NATS",
  async (port) => {
    const server = await startNats({ dataDir: natsDir, port });
    pid = server.pid;
    endWhenStill("NATS", server, probeNats(server.url), words, eachSecond);
    return server;
  },
  words,
);
const disk = watchDisk(natsDir, words, () => killServer(pid));
const connection = await connect({ servers: kept.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
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
process.stdout.write(JSON.stringify({ acknowledged, messages, told }));
disk.stop();
await connection.close();
await kept.stop();
process.exit(0);
