import { AppError } from "@sonde/kit/errors";

/**
 * Ends a request whose client left while something was awaited. The connection's `close` was emitted before anybody
 * could listen for it, so nothing may be counted or opened for it any more. Nobody reads the answer.
 */
export function connectionClosed(): AppError {
  return new AppError("invalid", "The connection was closed before the answer");
}
