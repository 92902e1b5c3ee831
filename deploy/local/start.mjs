// Kept for systemd units of version 0.1.0. Everything else runs `deploy/local/start`.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const child = spawn("/bin/sh", [fileURLToPath(new URL("start", import.meta.url)), ...process.argv.slice(2)], {
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => process.exit(code ?? 1));
