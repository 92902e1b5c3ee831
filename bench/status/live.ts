import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { PublicStatus } from "@sonde/proto/http/status/status";
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "../../e2e/support/api.ts";
import { openBrowser } from "../../e2e/support/browser.ts";
import { startProduct } from "../../e2e/support/product.ts";
import { startTarget } from "../../e2e/support/target.ts";
import { type Figure, ms, percentile } from "../probe/figures.ts";

/** Ten changes within an hour would be flapping, which stays down for longer. */
const rounds = 8;
const wantedMs = 2000;
// Runs in the page: notes when the headline was changed last.
const noteHeadlines = `
  addEventListener("DOMContentLoaded", () => {
    globalThis.changedAtMs = 0;
    new MutationObserver(() => (globalThis.changedAtMs = Date.now())).observe(document.querySelector("#overall"), {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
`;

/** From the decision that a monitor is down, or up again, to the words on an open page, on the real product. */
export async function liveChanges(): Promise<Figure[]> {
  const [product, target, browser] = await Promise.all([
    startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2" }),
    startTarget(),
    openBrowser({ locale: "en-US" }),
  ]);
  try {
    const { api } = await firstAdmin(product.url);
    const input = { name: "Shop", url: target.url, interval: 2 / 60, timeout: 1, retries: 0 };
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", input);
    await api.send("PUT", "/api/status/config", { monitors: [monitor.id] });
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    await page.addInitScript({ content: noteHeadlines });
    const shown = async () => (await api.get<{ status: PublicStatus }>("/api/status")).status.monitors[0];
    while ((await shown().catch(() => undefined))?.status !== "up") await sleep(200);
    await page.goto(`${product.url}/status?lang=en-US`, { waitUntil: "load" });
    await sleep(1000);
    const latenciesMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const isDown = round % 2 === 0;
      if (isDown) target.break();
      else target.heal();
      await page.locator(`#overall[data-state="${isDown ? "down" : "operational"}"]`).waitFor({ timeout: 30_000 });
      const changedAtMs = await page.evaluate(() => (globalThis as unknown as { changedAtMs: number }).changedAtMs);
      latenciesMs.push(changedAtMs - Date.parse((await shown())?.since ?? ""));
      await sleep(500);
    }
    const sorted = Float64Array.from(latenciesMs);
    const [median, slowest] = [percentile(sorted, 0.5), percentile(sorted, 1)];
    return [
      {
        goal: "–",
        what: `a change of state → the words on an open page, ${rounds} times: slowest`,
        wanted: `≤ ${ms(wantedMs)}`,
        measured: `${ms(slowest)} (median ${ms(median)})`,
        held: slowest <= wantedMs,
      },
    ];
  } finally {
    await browser.close();
    await product.remove();
    await target.stop();
  }
}
