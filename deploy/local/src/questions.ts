/** Questions over a channel that may never be answered. */
export type Questions<Answer> = {
  /** Sends a question with its number; undefined where no answer comes in time. */
  ask: (send: (number: number) => void) => Promise<Answer | undefined>;
  answer: (number: number, given: Answer) => void;
};

/** Longer than a scrape waits for what a service reads for it. */
const usualLimitMs = 4_000;

export function createQuestions<Answer>(limitMs = usualLimitMs): Questions<Answer> {
  const open = new Map<number, (given: Answer | undefined) => void>();
  let last = 0;
  const settle = (number: number, given: Answer | undefined) => {
    open.get(number)?.(given);
    open.delete(number);
  };
  return {
    ask(send) {
      const number = ++last;
      return new Promise((resolve) => {
        const late = setTimeout(() => settle(number, undefined), limitMs);
        open.set(number, (given) => (clearTimeout(late), resolve(given)));
        send(number);
      });
    },
    answer: settle,
  };
}
