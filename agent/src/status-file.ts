import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "./private-file.ts";

/** The state that a running agent writes for `sonde-agent status`. */
interface Status {
  pid: number;
  version: string;
  startedAt: string;
  updatedAt: string;
  lastReportAt?: string;
  lastError?: string;
  queued: number;
  lost: number;
  intervalSeconds: number;
  clockSkewMs?: number;
  rssBytes: number;
}

export function writeStatus(directory: string, status: Status): void {
  writePrivateFile(directory, "status.json", JSON.stringify(status), { durable: false });
}

/** undefined: no agent ran here yet. */
export function readStatus(directory: string): Status | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "status.json"), "utf8")) as Status;
  } catch {
    return undefined;
  }
}
