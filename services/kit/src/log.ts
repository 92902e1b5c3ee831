import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { isTracing, traceFields } from "./telemetry-spans.ts";

export type Log = Logger;

const secretNames = ["password", "newPassword", "currentPassword", "token", "authorization", "cookie", "secret"];

/**
 * A JSON logger on standard output that carries its service's name and never prints a field named as a secret. Where
 * traces are made, each line within one carries its ids.
 */
export function createLog(service: string, level = "info", to?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(isTracing() ? { mixin: traceFields } : {}),
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
  };
  return to === undefined ? pino(options) : pino(options, to);
}

/** For tests and tools that say nothing. */
export const silentLog: Log = pino({ level: "silent" });
