import type { BrowserContext } from "playwright-core";
import { openBrowser } from "@sonde/testing/browser";
import { reportFigures } from "@sonde/testing/report";
import { type Figure, ms, percentile } from "@sonde/testing/figures";
import { startDemo } from "./demo.ts";
import { interactions } from "./interactions.ts";
import { shifts } from "./screens.ts";

// P7 and P16 on the real product: 1,000 monitors, thirty days of history of the one that is looked at.
const monitors = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 1000;
const askings = 60;
/** Bytes of JavaScript in each encoding, and answers of any kind; the stream of events is not one. */
type Budget = { brotli?: number; gzip?: number; requests?: number };
type Visit = Required<Budget> & { scripts: number; seen: { paintMs: number; shift: number } };
// Runs in the page, which knows entry types that Node's own PerformanceObserver does not.
const observers = `
  globalThis.seen = { paintMs: 0, shift: 0 };
  const each = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  each("largest-contentful-paint", ({ startTime }) => (seen.paintMs = startTime));
  each("layout-shift", ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
`;
const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;

process.stderr.write(`making ${monitors} monitors and their history\n`);
const demo = await startDemo(monitors);
const figures: Figure[] = [];
try {
  figures.push(await ask("P7", "dashboard", "/api/dashboard"));
  figures.push(await ask("P7", `first page of ${monitors} monitors`, "/api/monitors?page=1&pageSize=50"));
  figures.push(await ask("P11", "30-day history", "/api/monitors/1/history?range=30d", { p95Ms: 40, bytes: 150_000 }));
  const browser = await openBrowser({ locale: "en-US" });
  const { context } = browser;
  const page = await context.newPage();
  await page.goto(`${demo.product.url}/login`);
  figures.push(...(await visit(context, "login", "/login")));
  await page.evaluate(
    ([token, user]) => {
      localStorage.setItem("token", token ?? "");
      localStorage.setItem("user", user ?? "");
    },
    [demo.token, JSON.stringify((await demo.api.get<{ user: unknown }>("/api/auth/me")).user)],
  );
  figures.push(...(await visit(context, "dashboard", "/dashboard", { brotli: 160_000, requests: 15 })));
  figures.push(...(await visit(context, "monitor list", "/monitors", { brotli: 170_000, requests: 25 })));
  figures.push(...(await visit(context, "monitor detail", "/monitors/1", { gzip: 330_000, requests: 25 })));
  await page.addInitScript({ content: observers });
  figures.push(...(await interactions(page, demo.product.url)));
  figures.push(...(await shifts(page, demo.product.url)));
  await browser.close();
} finally {
  await demo.stop();
}
await reportFigures("bench/results/web", figures);
process.exit(0);

/** p95 of an answer and its bytes on the wire, asked one after the other as a browser does. */
async function ask(goal: string, what: string, path: string, wanted = { p95Ms: 150, bytes: 150_000 }): Promise<Figure> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < askings; round++) {
    const began = performance.now();
    const response = await fetch(demo.product.url + path, {
      headers: { authorization: `Bearer ${demo.token}`, "accept-encoding": "identity" },
    });
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - began);
  }
  const p95 = percentile(Float64Array.from(times), 0.95);
  return {
    goal,
    what,
    wanted: `≤ ${wanted.p95Ms} ms p95, ≤ ${kb(wanted.bytes)}`,
    measured: `${ms(p95)} p95, ${ms(percentile(Float64Array.from(times), 0.5))} p50, ${kb(bytes)} before compression`,
    held: p95 <= wanted.p95Ms && bytes <= wanted.bytes,
  };
}

/**
 * First visits with an empty cache: largest paint, layout shift, requests, and all JavaScript that is loaded, what is below the first screen
 * too: in Brotli, which browsers take over HTTPS and from this machine, and in gzip, which they take over plain HTTP. Once without what
 * pages load when they are idle, the palette, and once with it.
 */
async function visit(context: BrowserContext, what: string, path: string, budget: Budget = {}): Promise<Figure[]> {
  const own = await load(context, path, true);
  const { seen, ...all } = await load(context, path);
  const limits = Object.entries({ Brotli: budget.brotli, gzip: budget.gzip }).flatMap(([name, bytes]) =>
    bytes === undefined ? [] : [`≤ ${kb(bytes)} in ${name}`],
  );
  const sizes = ({ brotli, gzip, scripts }: Omit<Visit, "seen">) =>
    `${kb(brotli)} in Brotli, ${kb(gzip)} in gzip, ${scripts} files`;
  return [
    {
      goal: limits.length === 0 ? "–" : "P16",
      what: `JavaScript of the ${what}; once it is idle`,
      wanted: limits.join(", ") || "–",
      measured: `${sizes(own)}; ${sizes(all)}`,
      held: own.brotli <= (budget.brotli ?? Infinity) && own.gzip <= (budget.gzip ?? Infinity),
    },
    {
      goal: budget.requests === undefined ? "–" : "P7",
      what: `requests of the ${what}; once it is idle`,
      wanted: budget.requests === undefined ? "–" : `≤ ${budget.requests}`,
      measured: `${own.requests}; ${all.requests}`,
      held: own.requests <= (budget.requests ?? Infinity),
    },
    {
      goal: "–",
      what: `largest paint and layout shift of the ${what}`,
      wanted: "≤ 2500 ms, ≤ 0.02",
      measured: `${ms(seen.paintMs)}, ${seen.shift.toFixed(3)}`,
      held: seen.paintMs <= 2500 && seen.shift <= 0.02,
    },
  ];
}

async function load(context: BrowserContext, path: string, isNeverIdle = false): Promise<Visit> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  const answered = new Set<string>();
  // What is asked for once more by then is what events did.
  cdp.on("Network.responseReceived", ({ response: { url } }) => void answered.add(url));
  await page.addInitScript({ content: observers });
  if (isNeverIdle) await page.addInitScript({ content: "globalThis.requestIdleCallback = () => 0" });
  await page.goto(demo.product.url + path, { waitUntil: "load" });
  await page.waitForTimeout(4000);
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Visit["seen"] }).seen);
  await page.close();
  const scripts = [...answered].filter((url) => url.endsWith(".js"));
  return {
    seen,
    scripts: scripts.length,
    requests: [...answered].filter((url) => !url.includes("/api/events")).length,
    brotli: await bytesIn("br", scripts),
    gzip: await bytesIn("gzip", scripts),
  };
}

/** What the gateway sends of some scripts in an encoding, without headers. */
async function bytesIn(encoding: "br" | "gzip", urls: readonly string[]): Promise<number> {
  const sizes = urls.map(async (url) => {
    const { headers } = await fetch(url, { method: "HEAD", headers: { "accept-encoding": encoding } });
    return Number(headers.get("content-length"));
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
