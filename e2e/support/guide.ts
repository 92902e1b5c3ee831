import type { Page } from "playwright-core";

export type GuideWords = {
  interval: string;
  make: string;
  otherWays: string;
  download: string;
  run: string;
  copy: string;
};

/** Creates a token, waits until the download is ready, and copies both steps for Linux with the page's own buttons. */
export async function copyLinuxCommands(page: Page, words: GuideWords, intervalSeconds: number) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByLabel(new RegExp(`^${words.interval}`)).fill(String(intervalSeconds));
  await page.getByRole("button", { name: words.make }).click();
  await page.getByText(words.otherWays, { exact: true }).click();
  const copied = async (title: string) => {
    const step = page.getByRole("region", { name: title, exact: true });
    const shown = await step.innerText();
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.getByRole("listitem").filter({ has: step }).getByRole("button", { name: words.copy }).click();
    const text = await page
      .waitForFunction<string>("navigator.clipboard.readText()")
      .then((found) => found.jsonValue());
    if (text.trim() !== shown.trim()) throw new Error(`The page shows another text than it copies:\n${shown}\n${text}`);
    return text;
  };
  return { download: await copied(words.download), run: await copied(words.run) };
}

export function tileOf(page: Page, label: string): Promise<string> {
  const tile = page.locator("main dl > div").filter({ has: page.locator("dt", { hasText: label }) });
  return tile.first().locator("dd > span").first().innerText();
}
