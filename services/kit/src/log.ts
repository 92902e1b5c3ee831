import { type Logger, pino } from "pino";

export type Log = Logger;

const secretNames = ["password", "newPassword", "currentPassword", "token", "authorization", "cookie", "secret"];

/** A JSON logger on standard output that carries its service's name and never prints a field named as a secret. */
export function createLog(service: string, level = "info"): Log {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
  });
}

/** For tests and tools that say nothing. */
export const silentLog: Log = pino({ level: "silent" });
