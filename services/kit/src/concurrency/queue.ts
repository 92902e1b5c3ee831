/** Runs one thing at a time, in the order of asking. What fails holds up nothing. */
export function createQueue(): <Answer>(run: () => Promise<Answer>) => Promise<Answer> {
  let tail: Promise<unknown> = Promise.resolve();
  return (run) => {
    const done = tail.then(run);
    tail = done.catch(() => {});
    return done;
  };
}
