import type { CDPSession, Page } from "playwright-core";
import type { Figure } from "@sonde/testing/figures";

const slowdown = 4;
const mostMs = 100;
const keys = 10;
const settledMs = 900;
// Runs in the page: the rows that are drawn, copied, parsed, laid out and painted above the list for a moment.
const drawPlainRows = `
  const table = document.querySelector("main table");
  const copy = document.createElement("div");
  copy.innerHTML = table.outerHTML;
  table.parentElement.prepend(copy);
  requestAnimationFrame(() => requestAnimationFrame(() => copy.remove()));
`;

/**
 * Processor time of the page's main thread for what people do with the list of monitors, on a processor that is four times slower. What live
 * events cost meanwhile is taken off. Beside it the same as a multiple of drawing as many rows in plain HTML: the latter is what the machine
 * is like, and a change of the code cannot make it less.
 */
export async function interactions(page: Page, url: string): Promise<Figure[]> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${url}/monitors?pageSize=200`);
  const all = page.getByRole("checkbox", { name: "Select all" }).first();
  await all.waitFor();
  const sort = page.getByRole("columnheader", { name: "Response time" }).getByRole("button");
  const [allAt, sortAt] = [await middleOf(all), await middleOf(sort)];
  await page.waitForTimeout(3000);
  const cdp = await page.context().newCDPSession(page);
  // The thread's own time: other work on the machine does not count.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const work = async (act: () => Promise<unknown>) => {
    const before = await taskMs(cdp);
    await act();
    await page.waitForTimeout(settledMs);
    return (await taskMs(cdp)) - before;
  };
  const nothing = async () => undefined;
  const idleMs = (await work(nothing)) / 2 + (await work(nothing)) / 2;
  const plainMs = Math.max(1, (await work(() => page.evaluate(drawPlainRows))) - idleMs);
  const figures: Figure[] = [];
  const measure = async (what: string, act: () => Promise<unknown>, times = 1) => {
    const eachMs = Math.max(0, (await work(act)) - idleMs) / times;
    figures.push({
      goal: "–",
      what: `${what}: work, × plain rows`,
      wanted: `≤ ${mostMs} ms`,
      measured: `${eachMs.toFixed(0)} ms, ${(eachMs / plainMs).toFixed(2)}`,
      held: eachMs <= mostMs,
    });
  };
  await measure("list of monitors, 200 of them, select all", () => page.mouse.click(...allAt));
  await measure("the same, select none", () => page.mouse.click(...allAt));
  await measure("the same, sort by another column", () => page.mouse.click(...sortAt));
  await measure("the same, one row down (j)", () => repeat(() => page.keyboard.press("j")), keys);
  await measure(
    "palette, a key",
    async () => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("service 12", { delay: 30 });
    },
    keys,
  );
  await page.keyboard.press("Escape");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.detach();
  return figures;
}

async function middleOf(element: ReturnType<Page["locator"]>): Promise<[number, number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("It is not in sight");
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function repeat(act: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < keys; time++) await act();
}

/** What the main thread worked so far, milliseconds. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
}
