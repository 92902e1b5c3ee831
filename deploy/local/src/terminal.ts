import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

export type Terminal = {
  info: (line: string) => void;
  warn: (line: string) => void;
  /** Logs a line of a service's output to the file, and prints warnings and errors. */
  service: (name: string, line: string) => void;
};

const maxLogBytes = 10 * 1024 * 1024;

/**
 * @param logFile rotated at 10 MiB; one older file is kept with the suffix `.1`
 * @param showsAll prints every line of the services, as in `npm run dev`
 */
export function openTerminal(logFile: string, showsAll = false): Terminal {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  let sizeBytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = (line: string) => {
    try {
      if (sizeBytes > maxLogBytes) {
        renameSync(logFile, `${logFile}.1`);
        sizeBytes = 0;
      }
      appendFileSync(logFile, `${line}\n`, { mode: 0o600 });
      sizeBytes += Buffer.byteLength(line) + 1;
    } catch {
      // A full disk must not end Sonde because of its log.
    }
  };
  const info = (line: string) => void process.stdout.write(`${line}\n`);
  const warn = (line: string) => void process.stderr.write(`${line}\n`);
  const warnOnce = onceAMinute(warn);
  return {
    info,
    warn,
    service(name, line) {
      log(line);
      if (showsAll) return info(anyLine(name, line));
      const warning = warningIn(name, line);
      if (warning !== undefined) warnOnce(warning);
    },
  };
}

const minuteMs = 60_000;
const maxRemembered = 200;

export function onceAMinute(show: (line: string) => void, now = () => performance.now()): (line: string) => void {
  const shownAtMs = new Map<string, number>();
  return (line) => {
    const text = line.replace(/^\d\d:\d\d:\d\d /, "");
    if (now() - (shownAtMs.get(text) ?? -Infinity) < minuteMs) return;
    if (shownAtMs.size >= maxRemembered) shownAtMs.clear();
    shownAtMs.set(text, now());
    show(line);
  };
}

type LogError = { message?: string; stack?: string; aggregateErrors?: LogError[] };
type LogEntry = {
  level: string;
  service?: string;
  time?: string;
  msg?: string;
  reason?: string;
  problem?: string;
  err?: LogError;
};

function parseLog(line: string): LogEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<LogEntry> | null;
    return typeof entry?.level === "string" ? (entry as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a warning or error of a JSON log in one line; returns undefined for everything else. */
export function warningIn(name: string, line: string): string | undefined {
  const { level = "", service = name, time = "", msg = "", reason, problem, err } = parseLog(line) ?? {};
  if (!["warn", "error", "fatal"].includes(level)) return undefined;
  const text = `${time.slice(11, 19)} ${service} ${level === "warn" ? "warning" : "error"}: ${msg}`;
  return [text.trim(), err ? reasonIn(err) : (reason ?? problem)].filter(Boolean).join(": ");
}

export function anyLine(name: string, line: string): string {
  const entry = parseLog(line);
  if (entry === undefined) return `${name}: ${line}`;
  const { level, time = "", msg = "", err, service: _, ...fields } = entry;
  const text = `${name}: ${time.slice(11, 19)} ${level} ${msg}`;
  const more = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
  return [text + more, err?.stack ?? err?.message].filter(Boolean).join("\n");
}

const statement = /^\s*(?:select|insert|update|delete|with|create|alter|drop|begin|commit|rollback|set)\b/i;
const maxReason = 300;

/** Returns the reason in one line, without the SQL of a failed statement. Joins the reasons of several attempts. */
function reasonIn({ message = "", aggregateErrors = [] }: LogError): string {
  if (message === "") return [...new Set(aggregateErrors.map(reasonIn))].join("; ");
  // knex writes "<the statement> - <the reason>".
  const own = statement.test(message) ? message.slice(message.lastIndexOf(" - ") + 1).replace(/^- /, "") : message;
  const line = own.replaceAll(/\s+/g, " ").trim();
  return line.length > maxReason ? `${line.slice(0, maxReason)} …` : line;
}
