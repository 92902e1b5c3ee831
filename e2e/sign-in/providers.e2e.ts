import { clientId, clientSecret, startProvider, type TestProvider } from "@sonde/auth/testing/provider";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admin, apiOf, firstAdmin } from "@sonde/testing/api";
import { type Browser, logIn, openBrowser } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";
import { violationsOf } from "../support/quality.ts";

let product: Product;
let provider: TestProvider;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  product = await startProduct();
  await firstAdmin(product.url);
  provider = await startProvider([`${product.url}/api/auth/oidc/company/callback`]);
  browser = await openBrowser();
  page = browser.context.pages()[0] ?? (await browser.context.newPage());
});
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  await product?.remove();
});

const button = (name: string) => page.getByRole("button", { name, exact: true });
const expectNoViolations = async () => expect(await violationsOf(page), page.url()).toEqual([]);
const token = () => page.evaluate(() => localStorage.getItem("token"));

async function logOut() {
  await page.evaluate(() => localStorage.removeItem("token"));
  await page.goto(`${product.url}/agents`);
}

test(
  "a provider is tested and added, people come in by it, and its logout ends their session at once",
  { timeout: 180_000 },
  async () => {
    await page.goto(`${product.url}/login`);
    await logIn(page, admin);
    await page.waitForURL(/\/dashboard/);

    await page.goto(`${product.url}/settings/sign-in`);
    await page.getByRole("link", { name: "Add provider" }).click();
    await page.getByLabel(/^Name(?! in)/).fill("Company");
    await page.getByLabel(/^Name in addresses/).fill("company");
    await page.getByLabel(/^Issuer/).fill(provider.issuer);
    await page.getByLabel(/^Client ID/).fill(clientId);
    await page.getByRole("textbox", { name: /^Client secret/ }).fill(clientSecret);
    await page.getByLabel(/^Roles of groups/).fill("ops = admin\ndev = user");
    await page.getByLabel(/^Claims of someone/).fill('{"groups": ["dev"]}');
    await button("Test").click();
    await page.getByText("(groups: dev)").waitFor();
    await expectNoViolations();
    await button("Add").click();
    await page.getByText(`${product.url}/api/auth/oidc/company/callback`).waitFor();
    await expectNoViolations();

    // In, and on where the reader was going.
    provider.account = { sub: "grace", claims: { preferred_username: "grace", groups: ["dev"] } };
    await logOut();
    const way = page.getByRole("link", { name: "Continue with Company" });
    await way.waitFor();
    await expectNoViolations();
    await way.click();
    await page.waitForURL(/\/agents/);
    const session = (await token())!;
    const { user } = await apiOf(product.url, session).get<{ user: object }>("/api/auth/me");
    expect(user).toMatchObject({ username: "grace", role: "user" });

    // Sign-ins that began in two tabs before either came back: each opens the page it began with.
    const begin = async (next: string) => {
      const start = `${product.url}/api/auth/oidc/company/start?next=${next}`;
      const { location = "" } = (await browser.context.request.get(start, { maxRedirects: 0 })).headers();
      return { next, location };
    };
    for (const { next, location } of [await begin("/monitors"), await begin("/incidents")]) {
      const tab = await browser.context.newPage();
      await tab.goto(location);
      await tab.waitForURL(({ pathname }) => pathname === next);
      await tab.close();
    }

    // The provider says that she logged out.
    const now = Math.floor(Date.now() / 1000);
    const logoutToken = await provider.sign({
      iss: provider.issuer,
      aud: clientId,
      iat: now,
      exp: now + 120,
      jti: crypto.randomUUID(),
      sub: "grace",
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    const me = () => fetch(`${product.url}/api/auth/me`, { headers: { authorization: `Bearer ${session}` } });
    const sentAtMs = performance.now();
    const answer = await fetch(`${product.url}/api/auth/oidc/company/logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: logoutToken }),
    });
    expect([answer.status, (await me()).status]).toEqual([200, 401]);
    const outMs = performance.now() - sentAtMs;
    process.stdout.write(`a back-channel logout was 401 after ${outMs.toFixed(0)} ms\n`);
    expect(outMs).toBeLessThan(10_000);

    // Who has no role has a sentence.
    provider.account = { sub: "eve", claims: { preferred_username: "eve", groups: ["others"] } };
    await logOut();
    await way.click();
    await page.getByText("Your account at the provider has no role here. Please ask an administrator.").waitFor();
    await expectNoViolations();
  },
);
