import { vi } from "vitest";

/** Retries until it succeeds; a busy machine may need long. */
export const eventually = <Answer>(run: () => Answer | Promise<Answer>): Promise<Answer> =>
  vi.waitFor(run, { timeout: 30_000, interval: 50 });
