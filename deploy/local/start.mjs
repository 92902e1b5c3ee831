// `npm start`: installs and builds what is missing, then runs Sonde on the pinned Node. Plain JavaScript; see prepare.mjs.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildWeb, install, pinnedNode, root } from "./prepare.mjs";

await install();
await buildWeb();

// The channel tells Sonde when we are gone, however we went: then it stops too.
const sonde = spawn(pinnedNode, [join(root, "deploy/local/src/main.ts")], {
  cwd: process.cwd(),
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  // Half of a warm start is reading and compiling modules; the cache keeps that work, for the services too.
  env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/sonde/compiled"), ...process.env },
});
sonde.once("error", (fault) => {
  console.error(`Sonde could not be started: ${fault.message}`);
  process.exit(1);
});
sonde.once("exit", (code) => process.exit(code ?? 1));

const stop = () => sonde.connected && sonde.send({ stop: true });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);

// npm hands signals on, but a killed npm cannot: nobody could stop us from its terminal then.
if (process.env.npm_lifecycle_event === "start") {
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && stop(), 500).unref();
}
