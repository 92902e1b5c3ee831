import axe from "axe-core";
import type { Page } from "playwright-core";
import { paths } from "../../web/src/app/paths.ts";

const visitorsOnly: readonly string[] = [paths.home, paths.login, paths.register, paths.acknowledge];

export type Ids = { monitor: number; agent: number; incident: string; announcement: number; maintenance: number };
export type Address = (ids: Ids) => string;

/** Lists the addresses of the app's route table, so new routes are checked automatically. */
export function addressesOf(): { visitor: Address[]; session: Address[] } {
  const idOf = (path: string, { monitor, agent, incident }: Ids) =>
    path === paths.incidentPattern ? incident : path.includes("agent") ? agent : path.includes("monitor") ? monitor : 1;
  const screens = Object.values(paths)
    .filter((path) => typeof path === "string")
    .filter((path) => !visitorsOnly.includes(path))
    .map(
      (path): Address =>
        (ids) =>
          path.replace(":id", String(idOf(path, ids))),
    );
  const tabs: Address[] = [
    () => "incidents",
    ({ incident }) => `incidents&announce=${incident}`,
    ({ announcement }) => `incidents&announcement=${announcement}`,
    () => "maintenance",
    () => "maintenance&plan=new",
    ({ maintenance }) => `maintenance&window=${maintenance}`,
    () => "access",
    () => "subscribers",
    () => "changes",
  ];
  return {
    visitor: [...visitorsOnly, "/nowhere"].map((path) => () => path),
    session: [
      ...screens,
      ...tabs.map(
        (tab): Address =>
          (ids) =>
            `${paths.statusConfig}?tab=${tab(ids)}`,
      ),
    ],
  };
}

export async function turnTo(
  page: Page,
  { width, height, colorScheme }: { width: number; height: number; colorScheme: "light" | "dark" },
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
}

/** Resolves when the page has its heading, and nothing is loading or animating. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.getByText(/^(Loading…|正在加载…)$/).waitFor({ state: "detached" });
  await page.locator("main [class*=shimmer]").first().waitFor({ state: "detached" });
  await still(page);
}

/** Resolves when nothing fades or moves: colours in transition may lack contrast. */
function still(page: Page): Promise<void> {
  // A change of theme arrives with the next frame and starts transitions with the one after.
  return page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const running = () => document.getAnimations().filter(({ effect, playState }) =>
      playState === "running" && effect.getComputedTiming().iterations !== Infinity);
    do {
      await frame();
      await frame();
      await Promise.allSettled(running().map(({ finished }) => finished));
    } while (running().length > 0);
  })()`);
}

/** Returns the axe rules that a page breaks, each with one element. */
export async function violationsOf(page: Page): Promise<string[]> {
  await still(page);
  // Once per load, because the script takes a third of the time.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Frames are skipped: the only one, the preview of a status page, blocks all scripts.
  return page.evaluate<string[]>(
    "axe.run({ resultTypes: ['violations'], iframes: false }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`))",
  );
}

export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Finds untranslated message keys. Unlike a product name (Rocket.Chat), they start with a lowercase letter. */
export async function keysOn(page: Page): Promise<string[]> {
  const lines = (await page.locator("body").innerText()).split("\n");
  return lines.filter((line) => /^[a-z][a-zA-Z]*(?:\.[a-zA-Z]\w*)+$/.test(line));
}

export function focusIsVisible(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    "(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) > 0)(getComputedStyle(document.activeElement))",
  );
}

/** Presses Tab until an element has the focus. @throws Error if a focused element on the way shows no outline */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 60; stops++) {
    await page.keyboard.press("Tab");
    if (!(await focusIsVisible(page))) {
      const focused = await page.evaluate<string>("document.activeElement?.outerHTML.slice(0, 200)");
      throw new Error(`On the way to ${selector}, the focus is not visible on ${focused}`);
    }
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`${selector} cannot be reached with Tab`);
}

// Unknown addresses return 404. The preview's frame blocks all scripts, including the browser driver's.
const expected = /status of 404|Blocked script execution in 'about:srcdoc'/;

/** Collects errors of a page and its console. Each call returns the errors since the last one. */
export function watchErrors(page: Page): () => string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) seen.push(message.text());
  });
  return () => seen.splice(0);
}
