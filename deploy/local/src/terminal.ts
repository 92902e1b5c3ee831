import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** What a person sees, and where the rest goes. */
export type Terminal = {
  /** One line of progress. */
  say: (line: string) => void;
  /** Something is wrong, yet Sonde goes on. */
  warn: (line: string) => void;
  /** One line of a service's output: all are kept in the log file, warnings and worse are shown too. */
  service: (name: string, line: string) => void;
};

const maxLogBytes = 10 * 1024 * 1024;
const warnLevel = 40;

/** @param logFile Kept up to 10 MiB, and the 10 MiB before that beside it with `.1`. */
export function openTerminal(logFile: string): Terminal {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  let sizeBytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const keep = (line: string) => {
    try {
      if (sizeBytes > maxLogBytes) {
        renameSync(logFile, `${logFile}.1`);
        sizeBytes = 0;
      }
      appendFileSync(logFile, `${line}\n`, { mode: 0o600 });
      sizeBytes += Buffer.byteLength(line) + 1;
    } catch {
      // A full disk must not end Sonde over its own log; what matters was shown.
    }
  };
  return {
    say: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
    service(name, line) {
      keep(line);
      const shown = readable(name, line);
      if (shown) process.stderr.write(`${shown}\n`);
    },
  };
}

type LogEntry = { level?: number; service?: string; time?: string; msg?: string; err?: { message?: string } };

/** A warning or worse of a JSON log as one line for a person; undefined for everything else. */
export function readable(name: string, line: string): string | undefined {
  let entry: LogEntry;
  try {
    entry = JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
  if (typeof entry.level !== "number" || entry.level < warnLevel) return undefined;
  const word = entry.level > warnLevel ? "error" : "warning";
  const time = entry.time?.slice(11, 19) ?? "";
  const reason = entry.err?.message ? `: ${entry.err.message.split("\n")[0]}` : "";
  return `${time} ${entry.service ?? name} ${word}: ${entry.msg ?? ""}${reason}`.trim();
}
