const gone = new Set(["EIO", "EPIPE", "ENXIO", "EBADF", "ENOSPC", "ERR_STREAM_DESTROYED"]);

/** The reader is gone (a closed terminal or pipe), or the disk is full. */
export const isOutputGone = (error: unknown): boolean =>
  error instanceof Error && gone.has((error as NodeJS.ErrnoException).code ?? "");

/**
 * Drops output that can no longer be written; otherwise the first line after a terminal was closed would end the
 * process. Other errors are thrown.
 */
export function ignoreLostOutput(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    stream.on("error", (error: Error) => {
      if (!isOutputGone(error)) throw error;
    });
  }
}

/** Ignores a parent that is gone; without the callback `send` would end this process, which should drain instead. */
export function notifyParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** It may contain a peer's text, which must not reach the log or a terminal unmasked. */
export function silenceLibraries(): void {
  for (const method of ["debug", "error", "info", "log", "trace", "warn"] as const) console[method] = () => {};
}
