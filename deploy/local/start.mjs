// `npm start`: installs and builds what is missing, then runs Sonde on the pinned Node. With --dev (`npm run dev`) the
// web app is not built: Vite serves its sources. Plain JavaScript; see prepare.mjs.
import { spawn } from "node:child_process";
import module from "node:module";
import { join } from "node:path";
import { endAll } from "./end.mjs";
import { outlivesHangUp } from "./hang-up.mjs";
import { buildWeb, install, pinnedNode, root } from "./prepare.mjs";

// Whoever read our lines may be gone; Sonde goes on.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
const endsWithTerminal = !outlivesHangUp();
let hungUp = false;
if (!endsWithTerminal) process.on("SIGHUP", () => (hungUp = true));

const stopSignals = ["SIGINT", "SIGTERM", ...(endsWithTerminal ? ["SIGHUP"] : [])];
const isDevelopment = process.argv.includes("--dev");
await install(stopSignals, { onlyToRun: !isDevelopment });
if (!isDevelopment) await buildWeb(stopSignals);

// Half of a warm start is reading and compiling modules; the cache keeps that work, for the services too.
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules/.cache/sonde/compiled");

// The channel tells Sonde when we are gone, however we went: then it stops too.
const sonde = spawn(
  pinnedNode,
  [
    // For src/start-memory.ts.
    "--expose-gc",
    "--disable-warning=ExperimentalWarning",
    join(root, "deploy/local/src/main.ts"),
    ...process.argv.slice(2),
    ...(endsWithTerminal ? [] : ["--outlive-hang-up"]),
  ],
  {
    cwd: process.cwd(),
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  },
);
sonde.once("error", (fault) => {
  console.error(`Sonde could not be started: ${fault.message}`);
  process.exit(1);
});
// From here on this process only waits; a Node that runs TypeScript is the pinned one.
if (process.features.typescript) {
  module.enableCompileCache(compileCache);
  process.removeAllListeners("warning"); // That calling the system's library is an experiment of Node's.
  import("./src/start-memory.ts").then(({ releaseMemory }) => releaseMemory()).catch(() => {});
}
let running = { services: [], servers: [] };
sonde.on("message", (message) => (running = message.running ?? running));
sonde.once("exit", async (code, signal) => {
  if (signal === null) process.exit(code);
  // Killed from outside, it could end nothing itself: the services drain, then nothing holds its servers any more.
  console.error(`Sonde was ended by ${signal}; its services and servers are ended too.`);
  await endAll(running.services, "SIGTERM", 30_000);
  await endAll(running.servers, "SIGINT", 15_000);
  process.exit(1);
});

const stop = () => sonde.connected && sonde.send({ stop: true });
for (const signal of stopSignals) process.on(signal, stop);

// npm hands signals on, but a killed npm cannot: nobody could stop us from its terminal then. An npm that went with a
// terminal that we outlive is none to wait for.
if (["start", "dev"].includes(process.env.npm_lifecycle_event)) {
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && !hungUp && stop(), 500).unref();
}
