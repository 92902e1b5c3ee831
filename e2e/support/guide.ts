import type { Page } from "playwright-core";

/** The add-agent guide as a person uses it, in the words of their language. */
export type GuideWords = {
  interval: string;
  make: string;
  otherWays: string;
  download: string;
  run: string;
  copy: string;
};

/** Makes a token for the interval, waits until the download is prepared, and copies the two steps for Linux, each as the page's own button hands it over. */
export async function copyLinuxCommands(page: Page, say: GuideWords, intervalSeconds: number) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel(new RegExp(`^${say.interval}`)).fill(String(intervalSeconds));
  await page.getByRole("button", { name: say.make }).click();
  await page.getByText(say.otherWays, { exact: true }).click();
  const copied = async (title: string) => {
    const step = page.getByRole("region", { name: title, exact: true });
    const shown = await step.innerText();
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.getByRole("listitem").filter({ has: step }).getByRole("button", { name: say.copy }).click();
    const text = await page
      .waitForFunction<string>("navigator.clipboard.readText()")
      .then((found) => found.jsonValue());
    if (text.trim() !== shown.trim()) throw new Error(`Shown is one text, copied another:\n${shown}\n${text}`);
    return text;
  };
  return { download: await copied(say.download), run: await copied(say.run) };
}

/** The figure of the tile under a label. */
export function tileOf(page: Page, label: string): Promise<string> {
  const tile = page.locator("main dl > div").filter({ has: page.locator("dt", { hasText: label }) });
  return tile.first().locator("dd > span").first().innerText();
}
