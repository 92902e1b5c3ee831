/**
 * Sends the parent process a message over its channel, if there is one. A parent that is gone is no fault: without a
 * callback `send` would end this process, which should drain instead.
 */
export function notifyParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
