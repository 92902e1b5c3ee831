import { expect, test } from "vitest";
import { createBootDetection } from "./warnings.ts";

let nowMs = 0;
function watched(...boots: string[]) {
  const watch = createBootDetection({ elapsedMs: () => nowMs });
  const hear = (...more: string[]) => {
    let before = more[0] ?? "";
    for (const boot of more.slice(1)) {
      if (boot !== before) watch.changed(7, before, boot);
      before = boot;
    }
    return watch.takeReturned();
  };
  return { watch, hear, found: hear(...boots) };
}

test.each([
  [["a", "b", "a"], [7]],
  [["a", "a", "b", "b", "b", "a"], [7]],
  [["a", "b", "c", "d", "a"], [7]],
  [["a", "b", "c", "d"], []],
  [["a", "b"], []],
  [["", "a", ""], []],
])("boots %j report agents %j", (boots, found) => {
  expect(watched(...boots).found).toEqual(found);
});

test("it is reported every ten minutes while it continues, and again if it could not be stored", () => {
  const { watch, hear, found } = watched("a", "b", "a");
  expect(found).toEqual([7]);
  expect(hear("a", "b", "a")).toEqual([]);
  watch.putBack([7]);
  expect(watch.takeReturned()).toEqual([7]);
  nowMs += 10 * 60_000;
  expect(hear("a", "b")).toEqual([7]);
});

test("registering an agent again resets its detection", () => {
  const { watch, hear } = watched("a", "b");
  watch.forget(7);
  expect(hear("b", "a")).toEqual([]);
});

test("the memory for reboots is bounded, and the latest are known", () => {
  const names = Array.from({ length: 500 }, (_, index) => `boot ${index}`);
  expect(watched(...names).found).toEqual([]);
  expect(watched(...names, "boot 480").found).toEqual([7]);
  expect(watched(...names, "boot 3").found).toEqual([]);
});
