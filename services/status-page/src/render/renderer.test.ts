import { expect, onTestFinished, test } from "vitest";
import { demoNowMs as nowMs, demoSnapshot, demoStates as states } from "../testing/demo-status.ts";
import { createRenderer } from "./renderer.ts";

test("a large page is rendered in a thread, a small one is not, with the same result", async () => {
  let threads = 0;
  const count = () => void threads++;
  process.on("worker", count);
  const renderer = createRenderer();
  onTestFinished(() => (process.off("worker", count), renderer.stop()));
  const render = async (page: string) => {
    const parts = await renderer.parts({ page, states, publicUrl: null, nowMs, written: {} });
    return parts.map(({ part, hash }) => [part, part === "others" ? "random" : hash]);
  };

  const page = JSON.stringify(demoSnapshot);
  const small = await render(page);
  expect(threads).toBe(0);
  expect(await render(page.padEnd(200_000))).toEqual(small);
  expect(threads).toBe(1);
  expect(small).toHaveLength(5);
});
