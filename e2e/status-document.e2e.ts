import { demoNowMs } from "@sonde/status-page/testing/demo-status";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { View, Visit } from "@sonde/testing/browser";
import { contrastsOf } from "./support/contrast.ts";
import { overflowOf, tabTo, violationsOf, watchErrors } from "./support/quality.ts";
import { openPage as open } from "./support/shared.ts";
import { startStatusDemo, type StatusDemo } from "./support/status-demo.ts";

// The documents of the public page with their script and style, on an invented snapshot: no service is needed.

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
  "at $width pixels, $colorScheme, $locale, no document breaks an axe rule, is wider than the window or logs an error",
  async (view) => {
    const page = await openPage(view);
    const errors = watchErrors(page);
    const faults: string[] = [];
    for (const path of paths) {
      await page.goto(`${demo.url}${path}?lang=${view.locale}`);
      for (const details of await page.locator("details").all()) await details.evaluate((one) => (one.open = true));
      for (const fault of await violationsOf(page)) faults.push(`${path}: ${fault}`);
      const wide = await overflowOf(page);
      if (wide > 0) faults.push(`${path} is ${wide} pixels too wide`);
    }
    expect([...faults, ...errors()]).toEqual([]);
  },
);

/** Pale, dark, glaring, and the greys that have no hue at all. */
const accents = [
  ["#ffffff", "#000000", "#808080", "#ffff00", "#00ff00", "#00ffff", "#ff00ff", "#ff0000", "#0000ff"],
  ["#2563eb", "#0d9488", "#fde68a", "#1a1a2e", "#7fff00", "#ff69b4", "#4b0082", "#f5f5dc", "#001100"],
].flat();
const soft = ["up", "warn", "down", "idle", "maintenance"];

test.each(["light", "dark"] as const)(
  "in the %s theme texts stand out by 4.5 and drawings by 3, whatever the accent",
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
    const faults: string[] = [];
    for (const accent of accents) {
      await page.evaluate(`document.documentElement.style.setProperty("--accent", "${accent}")`);
      for (const [pairs, min] of [[texts, 4.5] as const, [drawings, 3] as const]) {
        const found = await contrastsOf(
          page,
          pairs.map(([ink, ground]) => [`var(--${ink})`, `var(--${ground})`] as const),
        );
        for (const [index, ratio] of found.entries()) {
          if (ratio < min) faults.push(`${accent}: ${pairs[index]!.join(" on ")} is ${ratio.toFixed(2)}`);
        }
      }
    }
    expect(faults).toEqual([]);
  },
);

test("without a script all of it can be read, and what is folded can be opened", async () => {
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

test("by keyboard a strip is one stop that shows where it is, and its days are walked", async () => {
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

test("on a phone a strip has the newest 45 days, and the keyboard walks those", async () => {
  const page = await openPage({ width: 390 });
  await page.goto(`${demo.url}/status`);
  const strip = page.locator("#m2 .bars");
  expect(await strip.locator("i:visible").count()).toBe(45);
  expect(await page.locator("#m2").innerText()).toContain("45 days ago");
  await strip.focus();
  await page.keyboard.press("Home");
  expect(await strip.getAttribute("aria-valuetext")).toMatch(/^Fri, Oct 9, 2026/);
});

test("an outage is seen and told without a reload, and the rest of the page is fetched when it changed", async () => {
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

test("what stands on other sites has no ground of its own", async () => {
  const page = await openPage({ colorScheme: "dark" });
  await page.goto(`${demo.url}/status/embed`);
  const ground = `[document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor)`;
  expect(await page.evaluate<string[]>(ground)).toEqual(["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"]);
  expect(await page.locator("a").getAttribute("target")).toBe("_blank");
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violationsOf(page)).toEqual([]);
});
