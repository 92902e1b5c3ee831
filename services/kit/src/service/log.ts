import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { isOutputGone } from "./output.ts";
import { isTracing, traceFields } from "../telemetry/spans.ts";

export type Log = Logger;

const secretNames = ["password", "newPassword", "currentPassword", "token", "authorization", "cookie", "secret"];

/**
 * A JSON logger on standard output that carries its service's name and the level as a word, and never prints a field named as a secret. Where
 * traces are made, each line within one carries its ids.
 */
export function createLog(service: string, level = "info", to?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (word) => ({ level: word }) },
    ...(isTracing() ? { mixin: traceFields } : {}),
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
  };
  return pino(options, to ?? standardOutput());
}

/** What could not be written is tried again with the next line, and dropped beyond this. */
const maxUnwrittenBytes = 64 * 1024;

/** pino by itself outlives a closed pipe alone: a closed terminal (EIO) or a full disk would end the process. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: maxUnwrittenBytes });
  stream.on("error", (fault: Error) => {
    if (!isOutputGone(fault)) throw fault;
  });
  return stream;
}

/** For tests and tools without a log. */
export const silentLog: Log = pino({ level: "silent" });
