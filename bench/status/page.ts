import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { openBrowser } from "../../e2e/support/browser.ts";
import { type Figure, ms } from "../probe/figures.ts";
import { startDemo } from "../web/demo.ts";

const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
const scriptBytes = 60 * 1024;
const paintMs = 1500;
// Runs in the page, which knows entry types that Node's own PerformanceObserver does not.
const observers = `
  globalThis.seen = { paintMs: 0, shift: 0 };
  const each = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  each("largest-contentful-paint", ({ startTime }) => (seen.paintMs = startTime));
  each("layout-shift", ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
`;

/** P16 on the real product: the first visit of a page with so many services, in Chromium with an empty cache. */
export async function pageOfDemo(services: number): Promise<Figure[]> {
  const demo = await startDemo(services);
  const browser = await openBrowser({ locale: "en-US" });
  try {
    const { monitors } = await demo.api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200");
    await demo.api.send("PUT", "/api/status/config", { title: "Example", monitors: monitors.map(({ id }) => id) });
    const shown = async () =>
      (await demo.api.get<{ status: { monitors: { days: unknown[] }[] } }>("/api/status")).status.monitors;
    while ((await shown().catch(() => [])).length < services) await new Promise((resolve) => setTimeout(resolve, 200));
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
    const [sizes, urls] = [new Map<string, number>(), new Map<string, string>()];
    cdp.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
    cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      sizes.set(urls.get(requestId) ?? "", encodedDataLength);
    });
    await page.addInitScript({ content: observers });
    await page.goto(`${demo.product.url}/status`, { waitUntil: "load" });
    await page.waitForTimeout(2000);
    const seen = await page.evaluate(
      () => (globalThis as unknown as { seen: { paintMs: number; shift: number } }).seen,
    );
    const travelled = (pattern: RegExp) =>
      [...sizes].filter(([url]) => pattern.test(url)).reduce((sum, [, bytes]) => sum + bytes, 0);
    const [script, style] = [travelled(/\.js$/), travelled(/\.css$/)];
    return [
      {
        goal: "P16",
        what: "JavaScript and style sheet of the public page, compressed",
        wanted: `≤ ${kib(scriptBytes)}`,
        measured: `${kib(script)} and ${kib(style)}`,
        held: script > 0 && style > 0 && script + style <= scriptBytes,
      },
      {
        goal: "–",
        what: `largest paint of the public page, ${services} services; layout shift`,
        wanted: `≤ ${ms(paintMs)}; ≤ 0.1`,
        measured: `${ms(seen.paintMs)}; ${seen.shift.toFixed(3)}`,
        held: seen.paintMs <= paintMs && seen.shift <= 0.1,
      },
    ];
  } finally {
    await browser.close();
    await demo.stop();
  }
}
