import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { share } from "./shared.ts";

test("those who ask the same within its time get one answer, others their own", async () => {
  const clock = fakeClock();
  let calls = 0;
  const shared = share(async (name: string) => `${name} ${++calls}`, {
    keyOf: (name) => name,
    freshMs: 1_000,
    clock,
  });
  expect(await Promise.all([shared("a"), shared("a"), shared("b")])).toEqual(["a 1", "a 1", "b 2"]);
  clock.advance(999);
  expect(await shared("a")).toBe("a 1");
  clock.advance(1);
  expect(await shared("a")).toBe("a 3");
  expect(await shared("b")).toBe("b 4");
});

test("a rejection is told to those who waited for it alone", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve("back")];
  const shared = share(() => answers.shift() ?? Promise.resolve("more"), {
    keyOf: () => "",
    freshMs: 1_000,
    clock: fakeClock(),
  });
  const both = await Promise.allSettled([shared(1), shared(1)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await shared(1)).toBe("back");
});
