import type { CDPSession, Page } from "playwright-core";
import type { Figure } from "../probe/figures.ts";

const slowdown = 4;
const mostMs = 100;
const keys = 10;

/** Work of the page's main thread for what people do with the list of monitors, on a processor that is four times slower. */
export async function interactions(page: Page, url: string): Promise<Figure[]> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${url}/monitors?pageSize=200`);
  const all = page.getByRole("checkbox", { name: "Select all" }).first();
  await all.waitFor();
  await page.waitForTimeout(3000);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const figures: Figure[] = [];
  const measure = async (what: string, act: () => Promise<unknown>, times = 1) => {
    const before = await taskMs(cdp);
    await act();
    await page.waitForTimeout(400);
    const eachMs = ((await taskMs(cdp)) - before) / times;
    const measured = `${eachMs.toFixed(0)} ms`;
    figures.push({ goal: "–", what: `${what}: work`, wanted: `≤ ${mostMs} ms`, measured, held: eachMs <= mostMs });
  };
  await measure("list of monitors, 200 in sight, select all", () => all.click());
  await measure("the same, select none", () => all.click());
  await measure("the same, sort by another column", () =>
    page.getByRole("columnheader", { name: "Response time" }).getByRole("button").click(),
  );
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

async function repeat(act: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < keys; time++) await act();
}

/** What the main thread worked so far, milliseconds. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
}
