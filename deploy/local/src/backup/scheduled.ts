import { explainError } from "@sonde/kit/service/startup-error";
import { Cron } from "croner";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Terminal } from "../terminal.ts";

export type BackupSchedule = {
  SONDE_BACKUP_SCHEDULE?: string | undefined;
  SONDE_BACKUP_TO?: string | undefined;
  SONDE_BACKUP_KEEP: number;
  SONDE_BACKUP_WITH_KEY: boolean;
};

export function isSchedule(expression: string): boolean {
  try {
    return new Cron(expression, { paused: true, timezone: "UTC" }).nextRun() !== null;
  } catch {
    return false;
  }
}

/** Runs `backup` according to `SONDE_BACKUP_SCHEDULE` (UTC), never two at once, in a process that frees its memory. */
export function scheduleBackups(
  config: BackupSchedule,
  dataDir: string,
  { info, warn }: Pick<Terminal, "info" | "warn">,
  program = process.argv[1] ?? "",
): { stop(): Promise<void> } {
  const { SONDE_BACKUP_SCHEDULE: schedule, SONDE_BACKUP_TO: to } = config;
  if (schedule === undefined || to === undefined) return { stop: async () => {} };
  let child: ChildProcess | undefined;
  let isStopping = false;
  const run = async () => {
    const keep = ["--keep", String(config.SONDE_BACKUP_KEEP)];
    const args = ["backup", to, ...keep, ...(config.SONDE_BACKUP_WITH_KEY ? ["--with-key"] : [])];
    child = spawn(process.execPath, [...process.execArgv, program, ...args], {
      env: { ...process.env, SONDE_DATA_DIR: dataDir },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [report, [code]] = await Promise.all([text(child.stderr!), once(child, "exit") as Promise<[number | null]>]);
    child = undefined;
    const [line = "it ended without output"] = report.trim().split("\n").filter(Boolean);
    if (code === 0) info(line);
    else if (!isStopping) warn(`The backup failed: ${line}`);
  };
  const job = new Cron(schedule, { timezone: "UTC", protect: true }, () =>
    run().catch((fault: unknown) => warn(`The backup failed: ${explainError(fault)}`)),
  );
  return {
    async stop() {
      job.stop();
      isStopping = true;
      if (child === undefined) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
