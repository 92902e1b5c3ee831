import { startTestApp, type TestApp } from "@sonde/gateway/testing/test-app";
import { loadSite } from "@sonde/gateway/site/site";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { overflowOf, violationsOf, watchErrors } from "../support/quality.ts";
import { openPage } from "../support/shared.ts";

// The site is static, so a gateway over fakes suffices.
let app: TestApp;
let docs: Awaited<ReturnType<typeof loadSite>>;
beforeAll(async () => {
  docs = await loadSite(join(import.meta.dirname, "../../deploy/local/dist/docs/current"));
  if (docs.size === 0) throw new Error("The documentation is not built: npm test builds it");
  app = await startTestApp({ docs });
});
afterAll(() => app?.stop());

const words = {
  "en-US": { home: "/docs/", search: "acknowledge", found: /On call/, twin: "/docs/zh-CN/on-call" },
  "zh-CN": { home: "/docs/zh-CN/", search: "没有收到", found: /故障排查/, twin: "/docs/troubleshooting" },
} as const;
/** The theme's search button shows its shortcut next to its name. */
const ofTheme = /^label-content-name-mismatch: <button type="button" class="DocSearch/;

test.each([
  { locale: "en-US", colorScheme: "light", width: 1440 },
  { locale: "zh-CN", colorScheme: "dark", width: 390 },
] as const)(
  "the documentation and its search work without a network: $locale, $colorScheme, $width px",
  async (view) => {
    const { home, search, found, twin } = words[view.locale];
    const page = await openPage(view);
    const errors = watchErrors(page);
    const elsewhere: string[] = [];
    page.on("request", (request) => void (request.url().startsWith(app.url) || elsewhere.push(request.url())));
    await page.goto(app.url + home);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe(view.locale);
    expect(await page.evaluate('document.documentElement.classList.contains("dark")')).toBe(
      view.colorScheme === "dark",
    );
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect((await violationsOf(page)).filter((violation) => !ofTheme.test(violation))).toEqual([]);

    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill(search);
    await page.locator("#localsearch-list").getByRole("option").getByText(found).first().click();
    await page.getByRole("heading", { level: 1, name: found }).waitFor();
    if (view.width > 1000) await page.locator(`a[href^="${twin}"]`).first().waitFor({ state: "attached" });
    expect([errors(), elsewhere]).toEqual([[], []]);
    await page.context().close();
  },
);

test("each link to a section leads to an existing heading", async () => {
  const texts = new Map<string, string>();
  for (const [path, { open }] of docs) if (path.endsWith(".html")) texts.set(path, String(await (await open()).read()));
  const missing = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/<a href="([^":]*)#([^"]+)"/g)]
      .filter(([, link = "", id = ""]) => {
        const to = new URL(link, `http://host/docs${path.replace(/(?:index)?\.html$/, "")}`).pathname.replace(
          "/docs",
          "",
        );
        const target = texts.get(link === "" ? path : to.endsWith("/") ? `${to}index.html` : `${to}.html`);
        return target?.includes(` id="${decodeURIComponent(id)}"`) !== true;
      })
      .map(([, link, id]) => `${path}: ${link}#${id}`),
  );
  expect([texts.size > 40, missing]).toEqual([true, []]);
});
