import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser, type View } from "@sonde/testing/browser";
import { startDemo } from "./demo.ts";
import { publishPage } from "./demo-page.ts";
import { userScreens, visitorScreens } from "./screens.ts";

// Pictures of every screen, in three widths, both themes and languages: node bench/web/screenshots.ts <folder>
const folder = process.argv[2] ?? "docs/screenshots";
const views: (Required<Pick<View, "locale" | "width" | "colorScheme">> & { name: string })[] = [
  { name: "wide-light-en", width: 1440, colorScheme: "light", locale: "en-US" },
  { name: "wide-dark-zh", width: 1440, colorScheme: "dark", locale: "zh-CN" },
  { name: "middle-light-zh", width: 768, colorScheme: "light", locale: "zh-CN" },
  { name: "middle-dark-en", width: 768, colorScheme: "dark", locale: "en-US" },
  { name: "narrow-dark-en", width: 390, colorScheme: "dark", locale: "en-US" },
  { name: "narrow-light-zh", width: 390, colorScheme: "light", locale: "zh-CN" },
];

await mkdir(folder, { recursive: true });
const demo = await startDemo();
try {
  // Every monitor is checked once a minute; two of them have a history.
  await sleep(70_000);
  await publishPage(demo.api);
  const user = JSON.stringify((await demo.api.get<{ user: unknown }>("/api/auth/me")).user);
  for (const { name, ...view } of views) {
    const browser = await openBrowser(view);
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const shoot = async (path: string) => {
      await page.goto(demo.product.url + path);
      await sleep(1500);
      await page.screenshot({ path: join(folder, `${name}${path.replaceAll(/[/?=]/g, "-")}.png`), fullPage: true });
    };
    for (const path of visitorScreens) await shoot(path);
    await page.evaluate(
      ([token, stored]) => {
        localStorage.setItem("token", token ?? "");
        localStorage.setItem("user", stored ?? "");
      },
      [demo.token, user],
    );
    for (const path of userScreens) await shoot(path);
    await browser.close();
  }
} finally {
  await demo.stop();
}
process.exit(0);
