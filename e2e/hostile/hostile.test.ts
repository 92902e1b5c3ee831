import { expect, test, vi } from "vitest";
import { attack } from "./attack.ts";

// `npm run test:hostile` runs more cases.
test("hostile servers neither crash nor block the client process, nor exhaust its memory", async () => {
  // Other tests on the machine add to CPU time. A loop that is blocked permanently far exceeds this.
  vi.stubEnv("HOSTILE_MAX_BLOCK_MS", "1000");
  const cases = 300;
  const { done, problems } = await attack({ seed: 12, first: 0, hasNext: (count) => count < cases, log: () => {} });
  expect(problems).toEqual([]);
  expect(done).toBe(cases);
});
