import { flushCompileCache } from "node:module";
import { ignoreLostOutput } from "@sonde/kit/service/output";
import { describeError } from "./describe-error.ts";
import { launchStartup } from "./startup/process.ts";
import { runThreeProcesses } from "./supervisor/run-services.ts";
import { type Sonde, startSonde, Stopped } from "./sonde.ts";

let sonde: Sonde | undefined;
let abortBackup: (() => Promise<void>) | undefined;
let stopRequestedAtMs: number | undefined;
const [, , word] = process.argv;
const isStart = !["recover-admin", "backup", "restore"].includes(word ?? "");

/** Ctrl-C sends two signals, one through npm. Only a second signal after 1.5 s ends Sonde immediately. */
function requestStop(): void {
  const nowMs = performance.now();
  if (stopRequestedAtMs === undefined) {
    stopRequestedAtMs = nowMs;
    process.stdout.write("Stopping …\n");
    void (sonde?.stop() ?? abortBackup?.() ?? Promise.resolve()).then(() => process.exit(isStart ? 0 : 1), giveUp);
  } else if (nowMs - stopRequestedAtMs > 1_500) {
    sonde?.kill();
    process.exit(1);
  }
}

function giveUp(fault: unknown): never {
  process.stderr.write(`${describeError(fault)}\n`);
  process.exit(1);
}

/** Child processes must not outlive a crash, and the next start needs an unlocked data directory. */
function crash(fault: unknown): never {
  process.stderr.write(
    `Sonde is stopping because of an internal error: ${fault instanceof Error ? fault.stack : String(fault)}\n`,
  );
  sonde?.kill();
  process.exit(1);
}

ignoreLostOutput();
process.umask(0o077); // Only this user may read Sonde's files. Child processes inherit it.
process.on("uncaughtException", crash);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, requestStop);
// `deploy/local/start` adds the argument if Sonde should outlive its terminal (`nohup`).
let isHungUp = false;
process.on("SIGHUP", () => {
  isHungUp = process.argv.includes("--outlive-hang-up");
  if (!isHungUp) requestStop();
});
// npm forwards signals. If npm is killed, Ctrl-C no longer reaches Sonde, so it stops.
if (["start", "dev"].includes(process.env.npm_lifecycle_event ?? "")) {
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm || isHungUp) return;
    clearInterval(watch);
    requestStop();
  }, 500).unref();
}

try {
  // Dynamic imports save memory, because this process runs as long as Sonde does.
  if (word === "recover-admin") {
    const [{ readConfig }, { recoverHere }] = await Promise.all([import("./config.ts"), import("./recover-admin.ts")]);
    const username = process.argv[3]?.startsWith("--") === false ? process.argv[3] : undefined;
    process.stdout.write(await recoverHere(readConfig(), username));
    process.exit(0);
  }
  if (word === "backup" || word === "restore") {
    const [{ readConfig }, { runBackupCommand }] = await Promise.all([
      import("./config.ts"),
      import("./backup/backup.ts"),
    ]);
    const report = await runBackupCommand(word, process.argv.slice(3), readConfig(), (abort) => (abortBackup = abort));
    process.stderr.write(report); // The archive may be on standard output.
    process.exit(0);
  }
  const startup = launchStartup();
  const { config, warnings } = await startup.readConfig();
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  if (process.argv.includes("--dev")) {
    const { inspectedIn, watchServices } = await import("./dev/watch-services.ts");
    sonde = startSonde(config, startup, watchServices(inspectedIn(process.argv)), true);
  } else sonde = startSonde(config, startup, runThreeProcesses);
  await sonde.ready;
  flushCompileCache();
} catch (fault) {
  if (!(fault instanceof Stopped)) {
    await sonde?.stop();
    giveUp(fault);
  }
}
