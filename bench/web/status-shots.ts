import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { demoNowMs } from "@sonde/status-page/testing/demo-status";
import { openBrowser, type View } from "@sonde/testing/browser";
import { overflowOf } from "../../e2e/support/quality.ts";
import { startStatusDemo } from "../../e2e/support/status-demo.ts";

// Pictures of the public page, made of an invented snapshot: node bench/web/status-shots.ts <folder> [name of a view]
const folder = process.argv[2] ?? "docs/screenshots";
const only = process.argv[3] ?? "";
const views: (Required<Pick<View, "locale" | "width" | "colorScheme">> & { name: string })[] = [
  { name: "1440-light-en", width: 1440, colorScheme: "light", locale: "en-US" },
  { name: "1440-dark-zh", width: 1440, colorScheme: "dark", locale: "zh-CN" },
  { name: "390-dark-en", width: 390, colorScheme: "dark", locale: "en-US" },
  { name: "390-light-zh", width: 390, colorScheme: "light", locale: "zh-CN" },
  { name: "320-light-en", width: 320, colorScheme: "light", locale: "en-US" },
];
const paths = ["/status", "/status/incidents/p11", "/status/incidents/m41", "/status/history", "/status/confirm"];

await mkdir(folder, { recursive: true });
const demo = await startStatusDemo();
try {
  for (const { name, ...view } of views.filter((one) => one.name.includes(only))) {
    const browser = await openBrowser(view);
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    await page.clock.setFixedTime(demoNowMs);
    for (const path of paths) {
      await page.goto(`${demo.url}${path}?lang=${view.locale}`);
      if (path === "/status") await page.locator("#live:not([hidden])").waitFor();
      await page.screenshot({ path: join(folder, `${name}${path.replaceAll("/", "-")}.png`), fullPage: true });
      const wide = await overflowOf(page);
      if (wide > 0) console.log(`${name} ${path}: ${wide} pixels too wide`);
    }
    await browser.close();
  }
} finally {
  await demo.close();
}
