// Units of systemd that were written for version 0.1.0 run this file; all else runs `deploy/local/start`.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const child = spawn("/bin/sh", [fileURLToPath(new URL("start", import.meta.url)), ...process.argv.slice(2)], {
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => process.exit(code ?? 1));
