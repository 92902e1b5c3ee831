import { describe, expect, it } from "vitest";
import { type Applicant, createCheckLimits } from "./limits.ts";

function setUp(total: number, perHost: number) {
  const limits = createCheckLimits({ total, perHost });
  const started: string[] = [];
  const applicants = new Map<string, Applicant>();
  const enter = (name: string, host: string, timedOutBefore = false) => {
    const applicant = { host, timedOutBefore, start: () => void started.push(name) };
    applicants.set(name, applicant);
    limits.enter(applicant);
  };
  return { limits, started, enter, leave: (name: string) => limits.leave(applicants.get(name)!) };
}

describe("limits", () => {
  it("start what fits, and the rest in order as capacity is released", () => {
    const { limits, started, enter, leave } = setUp(2, 2);
    for (const name of ["a", "b", "c", "d"]) enter(name, name);
    expect(started).toEqual(["a", "b"]);
    expect([limits.inFlight(), limits.waiting()]).toEqual([2, 2]);
    leave("b");
    leave("a");
    expect(started).toEqual(["a", "b", "c", "d"]);
    leave("c");
    leave("d");
    expect([limits.inFlight(), limits.waiting()]).toEqual([0, 0]);
  });

  it("prevent one host's checks from using all capacity", () => {
    const { started, enter, leave } = setUp(10, 2);
    for (let i = 0; i < 20; i++) enter(`slow${i}`, "slow");
    enter("well", "well");
    expect(started).toEqual(["slow0", "slow1", "well"]);
    leave("slow0");
    expect(started.at(-1)).toBe("slow2");
  });

  it("reserve a quarter of all capacity from targets that hang", () => {
    const { started, enter, leave } = setUp(8, 2);
    for (let i = 0; i < 20; i++) enter(`hung${i}`, `hung${i}`, true);
    expect(started).toHaveLength(6);
    enter("one", "one");
    enter("two", "two");
    expect(started.slice(6)).toEqual(["one", "two"]);
    enter("three", "three");
    leave("hung0");
    expect(started.at(-1)).toBe("three");
    leave("one");
    expect(started.at(-1)).toBe("hung6");
  });
});
