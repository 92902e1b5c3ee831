/**
 * Tells the process that started this one something over its channel, where there is one. A parent that is gone hears
 * nothing, and that is no fault: without a callback `send` would end this process, which should drain instead.
 */
export function tellParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
