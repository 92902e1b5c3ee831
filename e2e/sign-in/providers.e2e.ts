import { clientId, clientSecret, startProvider, type TestProvider } from "@sonde/auth/testing/provider";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admin, apiOf } from "@sonde/testing/api";
import { logIn } from "@sonde/testing/browser";
import { violationsOf } from "../support/quality.ts";
import { type Installation, openPage, useInstallation } from "../support/shared.ts";

let sonde: Installation;
let provider: TestProvider;
let page: Page;

beforeAll(async () => {
  sonde = await useInstallation("signIn");
  provider = await startProvider([`${sonde.url}/api/auth/oidc/company/callback`]);
  page = await openPage();
});
afterAll(() => provider?.stop());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const expectNoViolations = async () => expect(await violationsOf(page), page.url()).toEqual([]);
const token = () => page.evaluate(() => localStorage.getItem("token"));

async function logOut() {
  await page.evaluate(() => localStorage.removeItem("token"));
  await page.goto(`${sonde.url}/agents`);
}

test("a provider is tested and added, users log in with it, and its logout ends their session at once", async () => {
  await page.goto(`${sonde.url}/login`);
  await logIn(page, admin);
  await page.waitForURL(/\/dashboard/);

  await page.goto(`${sonde.url}/settings/sign-in`);
  await page.getByRole("link", { name: "Add provider" }).click();
  await page.getByLabel(/^Name(?! in)/).fill("Company");
  await page.getByLabel(/^URL slug/).fill("company");
  await page.getByLabel(/^Issuer/).fill(provider.issuer);
  await page.getByLabel(/^Client ID/).fill(clientId);
  await page.getByRole("textbox", { name: /^Client secret/ }).fill(clientSecret);
  await page.getByLabel(/^Role mapping/).fill("ops = admin\ndev = user");
  await page.getByLabel(/^Sample claims/).fill('{"groups": ["dev"]}');
  await button("Test").click();
  await page.getByText("(groups: dev)").waitFor();
  await expectNoViolations();
  await button("Add").click();
  await page.getByText(`${sonde.url}/api/auth/oidc/company/callback`).waitFor();
  await expectNoViolations();

  // The login returns to the page that was requested.
  provider.account = { sub: "oidc-grace", claims: { preferred_username: "oidc-grace", groups: ["dev"] } };
  await logOut();
  const loginLink = page.getByRole("link", { name: "Continue with Company" });
  await loginLink.waitFor();
  await expectNoViolations();
  await loginLink.click();
  await page.waitForURL(/\/agents/);
  const session = (await token())!;
  const { user } = await apiOf(sonde.url, session).get<{ user: object }>("/api/auth/me");
  expect(user).toMatchObject({ username: "oidc-grace", role: "user" });

  // Logins started in two tabs: each returns to its own page.
  const begin = async (next: string) => {
    const start = `${sonde.url}/api/auth/oidc/company/start?next=${next}`;
    const { location = "" } = (await page.context().request.get(start, { maxRedirects: 0 })).headers();
    return { next, location };
  };
  for (const { next, location } of [await begin("/monitors"), await begin("/incidents")]) {
    const tab = await page.context().newPage();
    await tab.goto(location);
    await tab.waitForURL(({ pathname }) => pathname === next);
    await tab.close();
  }

  // The provider reports the logout.
  const now = Math.floor(Date.now() / 1000);
  const logoutToken = await provider.sign({
    iss: provider.issuer,
    aud: clientId,
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    sub: "oidc-grace",
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  });
  const me = () => fetch(`${sonde.url}/api/auth/me`, { headers: { authorization: `Bearer ${session}` } });
  const answer = await fetch(`${sonde.url}/api/auth/oidc/company/logout`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: logoutToken }),
  });
  expect([answer.status, (await me()).status]).toEqual([200, 401]);

  provider.account = { sub: "oidc-eve", claims: { preferred_username: "oidc-eve", groups: ["others"] } };
  await logOut();
  await loginLink.click();
  await page.getByText("Your account has no role in Sonde. Please contact an administrator.").waitFor();
  await expectNoViolations();
});
