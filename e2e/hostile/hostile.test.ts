import { expect, test, vi } from "vitest";
import { attack } from "./attack.ts";

// `npm run test:hostile` runs as many as there is time for.
test("servers that answer in hostile ways neither end nor block nor fill the process that asks them", async () => {
  // Processor time counts more beside other tests. What blocks a loop for good takes far longer.
  vi.stubEnv("HOSTILE_MAX_BLOCK_MS", "1000");
  const cases = 300;
  const { done, problems } = await attack({ seed: 12, first: 0, goesOn: (count) => count < cases, log: () => {} });
  expect(problems).toEqual([]);
  expect(done).toBe(cases);
});
