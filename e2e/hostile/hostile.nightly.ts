import { expect, test } from "vitest";
import { attack } from "./attack.ts";

test("thousands of hostile responses, different ones each night", { timeout: 3_600_000 }, async () => {
  const seed = Math.floor(Date.now() / 86_400_000);
  const cases = 10_000;
  const { problems } = await attack({ seed, first: 0, hasNext: (done) => done < cases, log: console.log });
  expect(problems).toEqual([]);
});
