import { vi } from "vitest";

/** Tries until it holds; on a busy machine that may take its time. */
export const eventually = <Answer>(run: () => Answer | Promise<Answer>): Promise<Answer> =>
  vi.waitFor(run, { timeout: 30_000, interval: 50 });
