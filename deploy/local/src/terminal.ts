import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** What is printed for the user, and where the rest is logged. */
export type Terminal = {
  /** One line of progress. */
  say: (line: string) => void;
  /** A fault that does not stop Sonde. */
  warn: (line: string) => void;
  /** One line of a service's output: all are kept in the log file, warnings and worse are shown too. */
  service: (name: string, line: string) => void;
};

const maxLogBytes = 10 * 1024 * 1024;

/**
 * @param logFile Kept up to 10 MiB, and the 10 MiB before that next to it with `.1`.
 * @param showsAll Shows every line of the services, as in `npm run dev`.
 */
export function openTerminal(logFile: string, showsAll = false): Terminal {
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
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const warn = (line: string) => void process.stderr.write(`${line}\n`);
  const warnOnce = onceAMinute(warn);
  return {
    say,
    warn,
    service(name, line) {
      keep(line);
      if (showsAll) return say(anyLine(name, line));
      const warning = warningIn(name, line);
      if (warning !== undefined) warnOnce(warning);
    },
  };
}

const minuteMs = 60_000;
const maxRemembered = 200;

/** Shows a warning that recurs at most once a minute; the log file has each. */
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
  /** The reason for which a mounted folder was not applied. */
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

/** A warning or error of a JSON log in one line; undefined for everything else. */
export function warningIn(name: string, line: string): string | undefined {
  const { level = "", service = name, time = "", msg = "", reason, problem, err } = parseLog(line) ?? {};
  if (!["warn", "error", "fatal"].includes(level)) return undefined;
  const text = `${time.slice(11, 19)} ${service} ${level === "warn" ? "warning" : "error"}: ${msg}`;
  return [text.trim(), err ? reasonIn(err) : (reason ?? problem)].filter(Boolean).join(": ");
}

/** Any line of a program; of a JSON log its message first, and the stack of an error as lines. */
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

/** The reason in one line: without the SQL of a failed statement, and of several attempts the reason of each. */
function reasonIn({ message = "", aggregateErrors = [] }: LogError): string {
  if (message === "") return [...new Set(aggregateErrors.map(reasonIn))].join("; ");
  // knex writes "<the statement> - <the reason>".
  const own = statement.test(message) ? message.slice(message.lastIndexOf(" - ") + 1).replace(/^- /, "") : message;
  const line = own.replaceAll(/\s+/g, " ").trim();
  return line.length > maxReason ? `${line.slice(0, maxReason)} …` : line;
}
