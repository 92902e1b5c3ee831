import { demoNowMs } from "@sonde/status-page/testing/demo-status";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { View, Visit } from "@sonde/testing/browser";
import { contrastsOf } from "./support/contrast.ts";
import { overflowOf, tabTo, violationsOf, watchErrors } from "./support/quality.ts";
import { openPage as open } from "./support/shared.ts";
import { startStatusDemo, type StatusDemo } from "./support/status-demo.ts";

// Renders the public page's documents from an example snapshot, so these tests need no services.

let demo: StatusDemo;
beforeAll(async () => void (demo = await startStatusDemo()));
afterAll(() => demo.close());

async function openPage(visit: Visit = {}): Promise<Page> {
  const page = await open(visit);
  onTestFinished(() => page.context().close());
  if (visit.javaScriptEnabled !== false) await page.clock.setFixedTime(demoNowMs);
  return page;
}

const paths = ["/status", "/status/incidents/p11", "/status/incidents/m41", "/status/history", "/status/confirm"];
const views: View[] = [
  { width: 1440, height: 900, colorScheme: "light", locale: "en-US" },
  { width: 390, height: 844, colorScheme: "dark", locale: "zh-CN" },
  { width: 320, height: 640, colorScheme: "light", locale: "en-US" },
];

test.each(views)(
  "at $width pixels, $colorScheme, $locale, every document passes axe, fits the window and logs no error",
  async (view) => {
    const page = await openPage(view);
    const errors = watchErrors(page);
    const problems: string[] = [];
    for (const path of paths) {
      await page.goto(`${demo.url}${path}?lang=${view.locale}`);
      for (const details of await page.locator("details").all()) await details.evaluate((one) => (one.open = true));
      for (const violation of await violationsOf(page)) problems.push(`${path}: ${violation}`);
      const wide = await overflowOf(page);
      if (wide > 0) problems.push(`${path} is ${wide} pixels too wide`);
    }
    expect([...problems, ...errors()]).toEqual([]);
  },
);

/** Pale, dark and saturated colours, and greys without a hue. */
const accents = [
  ["#ffffff", "#000000", "#808080", "#ffff00", "#00ff00", "#00ffff", "#ff00ff", "#ff0000", "#0000ff"],
  ["#2563eb", "#0d9488", "#fde68a", "#1a1a2e", "#7fff00", "#ff69b4", "#4b0082", "#f5f5dc", "#001100"],
].flat();
const soft = ["up", "warn", "down", "idle", "maintenance"];

test.each(["light", "dark"] as const)(
  "in the %s theme texts have a contrast of 4.5 and graphics of 3 with every accent colour",
  async (colorScheme) => {
    const page = await openPage({ colorScheme });
    await page.goto(`${demo.url}/status`);
    const texts = [
      ...["ground", "surface", "raised"].flatMap((ground) => [
        ...["ink", "muted", "faint", "link"].map((ink) => [ink, ground] as const),
        ...soft.map((name) => [`${name}-ink`, ground] as const),
      ]),
      ...soft.flatMap((name) => [["ink", `${name}-soft`] as const, ["muted", `${name}-soft`] as const]),
      ...soft.map((name) => [`${name}-ink`, `${name}-soft`] as const),
      ["on-solid", "solid"] as const,
    ];
    const drawings = [
      ...["up", "warn", "down", "maintenance", "idle"].map((name) => [`bar-${name}`, "surface"] as const),
      ...["trace", "focus", "solid"].flatMap((name) => [[name, "ground"] as const, [name, "surface"] as const]),
    ];
    const problems: string[] = [];
    for (const accent of accents) {
      await page.evaluate(`document.documentElement.style.setProperty("--accent", "${accent}")`);
      for (const [pairs, min] of [[texts, 4.5] as const, [drawings, 3] as const]) {
        const found = await contrastsOf(
          page,
          pairs.map(([ink, ground]) => [`var(--${ink})`, `var(--${ground})`] as const),
        );
        for (const [index, ratio] of found.entries()) {
          if (ratio < min) problems.push(`${accent}: ${pairs[index]!.join(" on ")} is ${ratio.toFixed(2)}`);
        }
      }
    }
    expect(problems).toEqual([]);
  },
);

test("without JavaScript everything is readable, and collapsed parts can be expanded", async () => {
  const page = await openPage({ javaScriptEnabled: false, width: 390 });
  await page.goto(`${demo.url}/status`);
  expect(await page.title()).toBe("1 of 14 services is down · Acme Status");
  const search = page.locator("#m4");
  expect((await search.innerText()).replace(/\s+/g, " ")).toMatch(/^Search Down 99\.89% Uptime .*Today$/);
  await search.getByText("Daily breakdown").click();
  await search.getByText("93.10% uptime, 98.90% coverage, 1 incident").waitFor();
  await page.getByText("Only some services").click();
  expect(await page.getByRole("checkbox").count()).toBe(14);
  expect(await page.locator("#theme").isVisible()).toBe(false);
});

test("a strip of bars is one tab stop with visible focus, and arrow keys move through its days", async () => {
  const page = await openPage();
  await page.goto(`${demo.url}/status`);
  await tabTo(page, "#m2 .bars");
  const tip = page.locator("#tip");
  await tip.getByText("Sun, Nov 22, 2026").waitFor();
  for (let step = 0; step < 5; step++) await page.keyboard.press("ArrowLeft");
  expect(await tip.innerText()).toContain("99.72% uptime");
  await page.keyboard.press("Home");
  await tip.getByText("Tue, Aug 25, 2026").waitFor();
  await page.keyboard.press("Tab");
  await tip.waitFor({ state: "hidden" });
  expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("SUMMARY");
});

test("on a phone a strip has the newest 45 days, also for the keyboard", async () => {
  const page = await openPage({ width: 390 });
  await page.goto(`${demo.url}/status`);
  const strip = page.locator("#m2 .bars");
  expect(await strip.locator("i:visible").count()).toBe(45);
  expect(await page.locator("#m2").innerText()).toContain("45 days ago");
  await strip.focus();
  await page.keyboard.press("Home");
  expect(await strip.getAttribute("aria-valuetext")).toMatch(/^Fri, Oct 9, 2026/);
});

test("an outage is shown and announced without a reload, and other changes are fetched", async () => {
  const page = await openPage();
  await page.goto(`${demo.url}/status`);
  await page.locator("#live", { hasText: "Live" }).waitFor();
  demo.send("monitor", { id: 1, status: "down", since: "2026-11-22T11:40:00Z" });
  await page.getByRole("heading", { name: "2 of 14 services are down" }).waitFor();
  await page.locator("#news", { hasText: "Website: Down" }).waitFor({ state: "attached" });
  demo.change({ nowMs: demoNowMs + 600_000 });
  demo.send("changed", {});
  await page.getByText("Nothing newer has arrived").waitFor();
  demo.change({});
  demo.dropStreams();
  await page.getByText("Nothing newer has arrived").waitFor({ state: "hidden" });
  expect(await page.locator("#headline").innerText()).toBe("1 of 14 services is down");
});

test("the embedded document has a transparent background", async () => {
  const page = await openPage({ colorScheme: "dark" });
  await page.goto(`${demo.url}/status/embed`);
  const ground = `[document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor)`;
  expect(await page.evaluate<string[]>(ground)).toEqual(["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"]);
  expect(await page.locator("a").getAttribute("target")).toBe("_blank");
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violationsOf(page)).toEqual([]);
});
