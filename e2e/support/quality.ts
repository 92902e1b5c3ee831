import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { paths } from "../../web/src/app/paths.ts";

const visitorsOnly: readonly string[] = [paths.home, paths.login, paths.register, paths.acknowledge];

/** Ids of things that addresses name. */
export type Ids = { monitor: number; agent: number; incident: string; announcement: number; maintenance: number };
export type Address = (ids: Ids) => string;

/** Every address of the app's own table: a new route is checked from its first day. */
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

/** Shows a page in another size and theme. */
export async function turnTo(
  page: Page,
  { width, height, colorScheme }: { width: number; height: number; colorScheme: "light" | "dark" },
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
}

/** Resolves when the page has its heading and nothing on it is still on its way. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.getByText(/^(Loading…|正在加载…)$/).waitFor({ state: "detached" });
  await page.locator("main [class*=shimmer]").first().waitFor({ state: "detached" });
  // Colours between two themes have no contrast to speak of.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().iterations !== Infinity).map((one) => one.finished))",
  );
}

/** What axe finds on a page, each rule with one place where it is broken. */
export async function violationsOf(page: Page): Promise<string[]> {
  // A third of the time: a report without what is well, made in the page itself, since no page of ours has frames.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** By how many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Keys that stand on the page instead of their words: unlike a product (Rocket.Chat), they begin with a small letter. */
export async function keysOn(page: Page): Promise<string[]> {
  const lines = (await page.locator("body").innerText()).split("\n");
  return lines.filter((line) => /^[a-z][a-zA-Z]*(?:\.[a-zA-Z]\w*)+$/.test(line));
}

/** Whether the element that has the focus shows it. */
export function focusIsVisible(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    "(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) > 0)(getComputedStyle(document.activeElement))",
  );
}

/** Presses Tab until an element has the focus; every stop on the way shows where it is. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let stops = 0; stops < 60; stops++) {
    await page.keyboard.press("Tab");
    if (!(await focusIsVisible(page))) {
      const focused = await page.evaluate<string>("document.activeElement?.outerHTML.slice(0, 200)");
      throw new Error(`Lost on the way to ${wanted}: nothing shows the focus, which is on ${focused}`);
    }
    if ((await page.locator(`${wanted}:focus`).count()) > 0) return;
  }
  throw new Error(`No way by Tab to ${wanted}`);
}

// A visit of an address that is not there answers 404. The preview's frame refuses every script, the browser driver's too.
const expected = /status of 404|Blocked script execution in 'about:srcdoc'/;

/** Errors of a page and of its console. */
export function watchErrors(page: Page): () => string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) seen.push(message.text());
  });
  return () => seen.splice(0);
}
