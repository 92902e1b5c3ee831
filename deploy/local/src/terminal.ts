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
/** Of a service's log, worst last, as a person reads them. */
const levels = { trace: "trace", debug: "debug", info: "info", warn: "warning", error: "error", fatal: "fatal" };
type Level = keyof typeof levels;

/** Which lines of the services a person sees. */
export type LogLevelShown = "warnings" | "everything";

/**
 * @param logFile Kept up to 10 MiB, and the 10 MiB before that beside it with `.1`.
 * @param show `everything`: each line behind its program's name, as `npm run dev` shows them.
 */
export function openTerminal(logFile: string, show: LogLevelShown = "warnings"): Terminal {
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
  const showOnce = countRepeats((line) => void process.stderr.write(`${line}\n`));
  return {
    say: (line) => process.stdout.write(`${line}\n`),
    warn: (line) => process.stderr.write(`${line}\n`),
    service(name, line) {
      keep(line);
      if (show === "everything") return void process.stdout.write(`${prefixed(name, line)}\n`);
      const shown = readable(name, line);
      if (shown) showOnce(shown);
    },
  };
}

const repeatsMs = 60_000;
const maxRepeated = 200;

/** Shows a line at once, and the same at another time as a number each minute. */
export function countRepeats(show: (line: string) => void): (line: string) => void {
  const counts = new Map<string, { last: string; count: number }>();
  return (line) => {
    const text = line.replace(/^\d\d:\d\d:\d\d /, "");
    const known = counts.get(text);
    if (known !== undefined) {
      counts.set(text, { last: line, count: known.count + 1 });
      return;
    }
    show(line);
    if (counts.size >= maxRepeated) return;
    counts.set(text, { last: line, count: 0 });
    const each = setInterval(() => {
      const { last = line, count = 0 } = counts.get(text) ?? {};
      if (count > 0) {
        show(count === 1 ? last : `${last} (${count} times in a minute)`);
        counts.set(text, { last, count: 0 });
      } else {
        clearInterval(each);
        counts.delete(text);
      }
    }, repeatsMs).unref();
  };
}

type LogError = { message?: string; stack?: string; aggregateErrors?: LogError[] };
type LogEntry = {
  level: Level;
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
    return Object.hasOwn(levels, entry?.level ?? "") ? (entry as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** A warning or worse of a JSON log as one line for a person; undefined for everything else. */
export function readable(name: string, line: string): string | undefined {
  const entry = parseLog(line);
  if (entry === undefined || !["warn", "error", "fatal"].includes(entry.level)) return undefined;
  const word = entry.level === "warn" ? "warning" : "error";
  const time = entry.time?.slice(11, 19) ?? "";
  const reason = entry.err ? reasonIn(entry.err) : (entry.reason ?? entry.problem ?? "");
  return `${time} ${entry.service ?? name} ${word}: ${entry.msg ?? ""}${reason && ": "}${reason}`.trim();
}

const prefixLength = "probe-runner".length;

/** Any line behind its program's name: of a JSON log the time, the level, the message, its fields and an error's stack. */
export function prefixed(name: string, line: string): string {
  const prefix = `${name.padEnd(prefixLength)} │ `;
  const entry = parseLog(line);
  if (entry === undefined) return prefix + line;
  const { level, time = "", msg = "", err, ...rest } = entry;
  const fields = Object.entries(rest).filter(([field]) => !["service", "pid", "hostname"].includes(field));
  const text = [
    time.slice(11, 19),
    levels[level],
    msg,
    ...fields.map(([field, value]) => `${field}=${JSON.stringify(value)}`),
  ].join(" ");
  return (
    prefix + [text, ...(err?.stack ?? err?.message ?? "").split("\n")].filter((part) => part !== "").join(`\n${prefix}`)
  );
}

const statement = /^\s*(?:select|insert|update|delete|with|create|alter|drop|begin|commit|rollback|set)\b/i;
const longestReason = 300;

/**
 * The reason in one line: of a failed statement the server's message without the SQL, of several attempts the reason of
 * each.
 */
function reasonIn({ message = "", aggregateErrors = [] }: LogError): string {
  if (message === "") return [...new Set(aggregateErrors.map(reasonIn))].join("; ");
  // knex writes "<the statement> - <the reason>".
  const own = statement.test(message) ? message.slice(message.lastIndexOf(" - ") + 1).replace(/^- /, "") : message;
  const line = own.replaceAll(/\s+/g, " ").trim();
  return line.length > longestReason ? `${line.slice(0, longestReason)} …` : line;
}
