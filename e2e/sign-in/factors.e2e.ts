import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { logIn } from "@sonde/testing/browser";
import { totpCode } from "../support/factors.ts";
import { violationsOf } from "../support/quality.ts";
import { type Account, addAccount, openPage, useInstallation } from "../support/shared.ts";

let page: Page;
let owner: Account;
/** Passkeys cannot be bound to an IP address, so use localhost. */
let origin: string;

beforeAll(async () => {
  const sonde = await useInstallation("signIn");
  owner = await addAccount(sonde, "factors-owner");
  origin = sonde.url.replace("127.0.0.1", "localhost");
  page = await openPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
});

const main = () => page.getByRole("main");
const button = (name: string) => page.getByRole("button", { name, exact: true });
const expectNoViolations = async () => expect(await violationsOf(page), page.url()).toEqual([]);

async function logOut() {
  await page.evaluate(() => localStorage.removeItem("token"));
  await page.goto(`${origin}/login`);
}

test("an app, a recovery code or a passkey works as second factor, and a passkey also without a password", async () => {
  await page.goto(`${origin}/login`);
  await page.getByRole("textbox", { name: "Username" }).waitFor();
  expect(await button("Log in with a passkey").count()).toBe(0);
  await logIn(page, owner);
  await page.waitForURL(/\/dashboard/);

  await page.goto(`${origin}/profile`);
  await button("Add an authenticator app").click();
  const secret = await page
    .locator("code")
    .filter({ hasText: /^[A-Z2-7]{32}$/ })
    .innerText();
  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  await expectNoViolations();
  await page.getByLabel("Code from the app").fill(totpCode(secret));
  await button("Confirm").click();
  const codes = page.getByRole("dialog").getByRole("listitem");
  await codes.first().waitFor();
  expect(await codes.count()).toBe(10);
  const recoveryCode = await codes.first().innerText();
  await expectNoViolations();
  await button("I've saved them").click();

  await button("Add a passkey").click();
  await page.getByRole("dialog").getByLabel("Name").fill("My laptop");
  await button("Continue").click();
  await main().getByText("My laptop").waitFor();
  await main().getByText("10 recovery codes left").waitFor();

  // Log in with the app.
  await logOut();
  await logIn(page, owner);
  await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, 1));
  await expectNoViolations();
  await button("Continue").click();
  await page.waitForURL(/\/dashboard/);

  // Log in with a recovery code.
  await logOut();
  await logIn(page, owner);
  await page.getByLabel("Code", { exact: true }).fill(recoveryCode);
  await button("Continue").click();
  await page.waitForURL(/\/dashboard/);

  // Log in with the passkey as second factor.
  await logOut();
  await logIn(page, owner);
  await button("Use a passkey").click();
  await page.waitForURL(/\/dashboard/);

  // Log in with only the passkey.
  await logOut();
  await button("Log in with a passkey").click();
  await page.waitForURL(/\/dashboard/);
  await page.goto(`${origin}/profile`);
  await main().getByText("9 recovery codes left").waitFor();
});
