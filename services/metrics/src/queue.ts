/** Runs one task after another, in the order in which they came; a task that rejects holds nobody up. */
export type Queue = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => {});
    return next;
  };
}
