import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { isOutputGone } from "./output.ts";
import { isTracing, traceFields } from "../telemetry/spans.ts";

export type Log = Logger;

const secretNames = ["password", "newPassword", "currentPassword", "token", "authorization", "cookie", "secret"];

/** JSON on standard output. Fields named like secrets are redacted. Lines within a trace carry its ids. */
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

/** Unwritten output is retried with the next line, up to this limit. */
const maxUnwrittenBytes = 64 * 1024;

/** pino only survives a closed pipe (EPIPE), not a closed terminal (EIO) or a full disk. */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: maxUnwrittenBytes });
  stream.on("error", (error: Error) => {
    if (!isOutputGone(error)) throw error;
  });
  return stream;
}

export const silentLog: Log = pino({ level: "silent" });
