import { expect, test } from "vitest";
import { fakeClock, watchClockSteps } from "./clock.ts";

test("a clock that is set back is detected once; drift or a step forward is not", () => {
  const clock = fakeClock();
  const steps = watchClockSteps(clock);
  clock.advance(60_000);
  expect(steps.steppedBackMs()).toBe(0);
  clock.step(-500);
  expect(steps.steppedBackMs()).toBe(0);
  clock.step(3_600_000);
  expect(steps.steppedBackMs()).toBe(0);
  clock.step(-50_000);
  clock.advance(1_000);
  expect(steps.steppedBackMs()).toBe(50_000);
  expect(steps.steppedBackMs()).toBe(0);
});
