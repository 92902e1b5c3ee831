/**
 * Measures in Chromium with an empty cache, with 1,000 monitors, how soon pages are usable and how much they load: `npm
 * run bench -- web`. `--write` updates bench/results/web.md; a number sets the number of monitors.
 */
import type { BrowserContext } from "playwright-core";
import { openBrowser } from "@sonde/testing/browser";
import { type Figure, percentile } from "@sonde/testing/figures";
import { reportFigures } from "@sonde/testing/report";
import { startDemo } from "./demo.ts";

type Page = {
  what: string;
  path: string;
  /** True if the time and the bytes until monitors appear have a goal. */
  hasRows?: boolean;
  /** Goal for the page's JavaScript, compressed with Brotli. */
  scriptKb: number;
};
const pages: Page[] = [
  { what: "dashboard", path: "/dashboard", hasRows: true, scriptKb: 195 },
  { what: "list of monitors", path: "/monitors", hasRows: true, scriptKb: 205 },
  { what: "monitor", path: "/monitors/1", scriptKb: 210 },
  { what: "public page", path: "/status", scriptKb: 20 },
];
/** Selects the link of a monitor by the demo's names. */
const row = 'main a:has-text("Service ")';
const visits = 5;
const [maxMs, maxKb] = [1_000, 350];
const idleMs = 4_000;
const kb = (bytes: number) => bytes / 1_000;

const monitors = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 1_000;
process.stderr.write(`making ${monitors} monitors and their history\n`);
const demo = await startDemo(monitors);
const figures: Figure[] = [];
try {
  const shown = Array.from({ length: Math.min(50, monitors) }, (_, at) => at + 1);
  await demo.api.send("PUT", "/api/status/config", { title: "Services", monitors: shown, agents: [], groups: [] });
  const browser = await openBrowser({ locale: "en-US" });
  try {
    const page = await browser.context.newPage();
    await page.goto(`${demo.product.url}/login`);
    const { user } = await demo.api.get<{ user: unknown }>("/api/auth/me");
    const session = { token: demo.token, user: JSON.stringify(user) };
    await page.evaluate(
      `for (const [key, value] of Object.entries(${JSON.stringify(session)})) localStorage.setItem(key, value)`,
    );
    for (const each of pages) figures.push(...(await measure(browser.context, each)));
  } finally {
    await browser.close();
  }
} finally {
  await demo.stop();
}
await reportFigures("bench/results/web", figures);
process.exit(0);

async function measure(context: BrowserContext, { what, path, hasRows = false, scriptKb }: Page): Promise<Figure[]> {
  const seen: Visit[] = [];
  for (let visit = 0; visit < visits; visit++) seen.push(await load(context, path, hasRows));
  const { scripts, bytes } = seen.at(-1)!;
  const brotliKb = kb(await brotliBytes(scripts));
  const script: Figure = {
    goal: "P16",
    what: `JavaScript of the ${what}, Brotli`,
    wanted: `≤ ${scriptKb} KB`,
    measured: `${brotliKb.toFixed(1)} KB in ${scripts.length} files`,
    held: scripts.length > 0 && brotliKb <= scriptKb,
  };
  if (!hasRows) return [script];
  const times = Float64Array.from(seen.map(({ rowMs }) => rowMs));
  const [medianMs, slowestMs] = [percentile(times, 0.5), percentile(times, 1)];
  return [
    {
      goal: "P7",
      what: `${what}: first rows, median of ${visits}; bytes received`,
      wanted: `≤ ${maxMs} ms; ≤ ${maxKb} KB`,
      measured: `${medianMs.toFixed(0)} ms (at most ${slowestMs.toFixed(0)} ms); ${kb(bytes).toFixed(1)} KB`,
      held: medianMs <= maxMs && kb(bytes) <= maxKb,
    },
    script,
  ];
}

/** `bytes`: size of all responses with headers until the page is idle. */
type Visit = { rowMs: number; bytes: number; scripts: string[] };

/** Opens a page with an empty cache. Prefetches of the idle page do not count. */
async function load(context: BrowserContext, path: string, hasRows: boolean): Promise<Visit> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  const scripts = new Set<string>();
  let bytes = 0;
  cdp.on("Network.responseReceived", ({ response: { url } }) => url.endsWith(".js") && scripts.add(url));
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript({ content: "globalThis.requestIdleCallback = () => 0" });
  const beganMs = performance.now();
  await page.goto(demo.product.url + path, { waitUntil: "commit" });
  if (hasRows) await page.locator(row).first().waitFor();
  const rowMs = performance.now() - beganMs;
  await page.waitForTimeout(idleMs);
  await page.close();
  return { rowMs, bytes, scripts: [...scripts] };
}

/** Size of these scripts in Brotli as the gateway sends them, without headers. */
async function brotliBytes(urls: readonly string[]): Promise<number> {
  const sizes = urls.map(async (url) => {
    const { headers } = await fetch(url, { method: "HEAD", headers: { "accept-encoding": "br" } });
    return Number(headers.get("content-length"));
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
