import type { Page } from "playwright-core";
import type { Figure } from "@sonde/testing/figures";

/** Every screen of the demo: for visitors, and with a session. */
export const visitorScreens = ["/", "/login", "/register", "/status"];
export const userScreens = [
  "/dashboard",
  "/monitors",
  "/monitors/1",
  "/monitors/3",
  "/monitors/create",
  "/monitors/edit/1",
  "/monitors/import",
  "/agents",
  "/agents/2",
  "/agents/create",
  "/agents/edit/1",
  "/incidents",
  "/incidents/m1",
  "/status/config",
  "/status/config?tab=incidents",
  "/status/config?tab=maintenance",
  "/status/config?tab=subscribers",
  "/notifications",
  "/notifications/channels/create",
  "/notifications/settings",
  "/notifications/settings/monitor/1",
  "/notifications/templates",
  "/notifications/templates/create",
  "/notifications/deliveries",
  "/users",
  "/users/create",
  "/users/1",
  "/profile",
];

const most = 0.02;
/** What the observers of run.ts collect. */
type Seen = { shift: number };

/** Layout shift of every screen, on a phone and on a wide one. */
export async function shifts(page: Page, url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    const seen: { path: string; shift: number }[] = [];
    for (const path of userScreens) {
      await page.goto(url + path, { waitUntil: "load" });
      await page.waitForTimeout(2000);
      const { shift } = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
      seen.push({ path, shift });
    }
    seen.sort((one, other) => other.shift - one.shift);
    figures.push({
      goal: "–",
      what: `layout shift of ${seen.length} screens, ${width} px wide`,
      wanted: `≤ ${most} each`,
      measured: seen
        .slice(0, 3)
        .map(({ path, shift }) => `${shift.toFixed(3)} ${path}`)
        .join(", "),
      held: seen.every(({ shift }) => shift <= most),
    });
  }
  return figures;
}
