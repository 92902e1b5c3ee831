const gone = new Set(["EIO", "EPIPE", "ENXIO", "EBADF", "ENOSPC", "ERR_STREAM_DESTROYED"]);

/** Whether a write failed because the reader is gone (a closed terminal or pipe) or the disk is full. */
export const isOutputGone = (fault: unknown): boolean =>
  fault instanceof Error && gone.has((fault as NodeJS.ErrnoException).code ?? "");

/**
 * Lets this process continue when its output can no longer be written: further output is dropped. Without this the
 * first line after a terminal was closed would end it (EIO, EPIPE). Any other fault of a stream is thrown.
 */
export function outliveOutput(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    stream.on("error", (fault: Error) => {
      if (!isOutputGone(fault)) throw fault;
    });
  }
}

/**
 * Sends the parent process a message over its channel, if there is one. A parent that is gone is no fault: without a
 * callback `send` would end this process, which should drain instead.
 */
export function notifyParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** Drops what libraries print: it may be a peer's text, which belongs neither in the log nor in a terminal unmasked. */
export function silenceLibraries(): void {
  for (const method of ["debug", "error", "info", "log", "trace", "warn"] as const) console[method] = () => {};
}
