import type { Clock } from "@sonde/kit/time/clock";

/**
 * One answer for all who ask the same within a short time: those who come while it is being found, and those who come
 * `freshMs` after it was begun. Dashboards ask alike. A rejection is shared by those who waited for it, and not kept.
 */
export function share<Input, Result>(
  ask: (input: Input) => Promise<Result>,
  { keyOf, freshMs, clock }: { keyOf: (input: Input) => string; freshMs: number; clock: Clock },
): (input: Input) => Promise<Result> {
  const answers = new Map<string, { begunAt: number; answer: Promise<Result> }>();
  return (input) => {
    const nowMs = clock.elapsedMs();
    for (const [key, { begunAt }] of answers) {
      if (nowMs - begunAt < freshMs) break;
      answers.delete(key);
    }
    const key = keyOf(input);
    const known = answers.get(key);
    if (known) return known.answer;
    const answer = ask(input);
    answers.set(key, { begunAt: nowMs, answer });
    answer.catch(() => answers.get(key)?.answer === answer && answers.delete(key));
    return answer;
  };
}
