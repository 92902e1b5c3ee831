import { vi } from "vitest";

/** Retries an assertion for up to 30 s, for busy machines. */
export const eventually = <Answer>(run: () => Answer | Promise<Answer>): Promise<Answer> =>
  vi.waitFor(run, { timeout: 30_000, interval: 50 });
