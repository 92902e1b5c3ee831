import type { User } from "@sonde/proto/http/users";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { admin, apiOf } from "@sonde/testing/api";
import { logIn } from "@sonde/testing/browser";
import { violationsOf } from "./support/quality.ts";
import { type Installation, openPage as open, useInstallation } from "./support/shared.ts";

const first = "correct horse battery";
const newcomer = { username: "grace", password: first };
const second = "staple stable fable";

let sonde: Installation;
beforeAll(async () => void (sonde = await useInstallation("signIn")));

async function openPage(path: string): Promise<Page> {
  const page = await open();
  await page.goto(sonde.url + path);
  return page;
}

const expectNoViolations = async (page: Page) => {
  await page.locator("h1").waitFor();
  await page.getByText("Loading…").waitFor({ state: "detached" });
  expect(await violationsOf(page), page.url()).toEqual([]);
};

test("a user is approved, changes their password, is demoted and deleted, and the last administrator remains", async () => {
  // Grace registers, and cannot log in yet.
  const grace = await openPage("/register");
  await grace.getByText("An administrator approves new accounts before they can log in.").waitFor();
  await grace.getByRole("textbox", { name: "Username" }).fill("grace");
  await grace.getByLabel(/^Password/).fill(first);
  await grace.getByLabel(/^Confirm password/).fill(first);
  await grace.getByRole("main").getByRole("button", { name: "Register" }).click();
  await grace.getByText("Registration successful; an administrator must approve your account").waitFor();
  await logIn(grace, newcomer);
  await grace.getByText("The account is waiting for approval").waitFor();

  // A badge on the administrator's name leads to the new account, which the administrator approves.
  const ada = await openPage("/login");
  await logIn(ada, admin);
  await ada.waitForURL(/\/dashboard/);
  await ada.getByRole("banner").getByTitle("1 account awaiting approval").click();
  await ada.getByRole("menuitem", { name: "User Management" }).click();
  await ada.waitForURL(/\/users$/);
  await expectNoViolations(ada);
  await ada.getByRole("button", { name: "1 to approve" }).click();
  await ada.waitForURL(/status=pending/);
  const herRow = ada.getByRole("row", { name: /grace/ });
  await herRow.getByText("Awaiting approval").last().waitFor();
  await herRow.getByRole("button", { name: "Approve: grace" }).click();
  await ada.getByText("grace is approved and can log in now.").waitFor();
  await ada.getByText("No matching users").waitFor();
  await ada.getByRole("banner").getByTitle("1 account awaiting approval").waitFor({ state: "detached" });

  // The newcomer logs in with two browsers.
  await logIn(grace, newcomer);
  await grace.waitForURL(/\/dashboard/);
  const elsewhere = await openPage("/login");
  await logIn(elsewhere, newcomer);
  await elsewhere.waitForURL(/\/dashboard/);

  // Grace cannot manage accounts, even by entering the address.
  await grace.goto(`${sonde.url}/users`);
  await grace.getByRole("heading", { name: "Not allowed" }).waitFor();
  await expectNoViolations(grace);

  // A wrong current password is reported at its field. The right one ends all other sessions.
  await grace.goto(`${sonde.url}/profile`);
  await grace.getByLabel(/^Current password/).fill("not their password");
  await grace.getByLabel(/^New password/).fill(second);
  await grace.getByLabel(/^Confirm new password/).fill(second);
  await grace.getByRole("button", { name: "Change password" }).click();
  await grace
    .getByLabel(/^Current password/)
    .and(grace.locator("[aria-invalid=true]"))
    .waitFor();
  await expectNoViolations(grace);
  await grace.getByLabel(/^Current password/).fill(first);
  await grace.keyboard.press("Enter");
  await grace.getByText("You were logged out on all other devices.").waitFor();
  expect(await grace.getByLabel(/^New password/).inputValue()).toBe("");
  await elsewhere.waitForURL(/\/login/);
  await grace.reload();
  await grace.getByRole("heading", { name: "Profile" }).waitFor();

  // The navigation shows the new name at once.
  await grace.getByRole("textbox", { name: "Username" }).fill("hopper");
  await grace.getByRole("button", { name: "Save" }).click();
  await grace.getByText("Profile updated").waitFor();
  await grace.getByRole("banner").getByRole("button", { name: "hopper" }).waitFor();

  // The administrator promotes and demotes Grace, and can neither change their own role nor delete their own account.
  await ada.goto(`${sonde.url}/users`);
  await ada.getByRole("link", { name: "hopper", exact: true }).click();
  for (const role of ["admin", "viewer"]) {
    await ada.getByLabel("Role").selectOption(role);
    await ada.getByRole("button", { name: "Save changes" }).click();
    await ada.getByText("User updated").waitFor();
  }
  await expectNoViolations(ada);
  const found = await sonde.api.get<{ users: User[] }>("/api/users?search=hopper");
  expect(found.users).toMatchObject([{ username: "hopper", role: "viewer", status: "active" }]);
  await grace.goto(`${sonde.url}/monitors`);
  await grace.getByRole("heading", { name: "API Monitors" }).waitFor();
  await ada.getByRole("link", { name: "All users" }).click();
  await ada.getByRole("link", { name: "ada", exact: true }).click();
  expect(await ada.getByLabel("Role").isDisabled()).toBe(true);
  expect(await ada.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await expectNoViolations(ada);

  // The administrator deletes the account by keyboard. The dialog names it, and its session ends at once.
  await ada.goto(`${sonde.url}/users`);
  await ada.getByRole("button", { name: "Delete: hopper" }).focus();
  await ada.keyboard.press("Enter");
  const dialog = ada.getByRole("dialog");
  await dialog.getByText("“hopper”").waitFor();
  await expectNoViolations(ada);
  await dialog.getByRole("button", { name: "Delete" }).focus();
  await ada.keyboard.press("Enter");
  await ada.getByText("User deleted").waitFor();
  expect(await ada.getByRole("link", { name: "hopper", exact: true }).count()).toBe(0);
  await grace.waitForURL(/\/login/);

  // The server also rejects what the screens do not offer: the last administrator remains.
  const { users } = await sonde.api.get<{ users: User[] }>("/api/users?search=ada");
  const own = `/api/users/${users[0]?.id}`;
  await expect(sonde.api.send("DELETE", own)).rejects.toThrow(/409.*At least one active administrator must remain/);
  for (const change of [{ role: "user" }, { status: "disabled" }]) {
    await expect(sonde.api.send("PUT", own, { username: "ada", ...change })).rejects.toThrow(/409/);
  }
  await expect(
    apiOf(sonde.url).send("POST", "/api/auth/login", { username: "hopper", password: second }),
  ).rejects.toThrow(/401/);

  // The administrator creates and renames an account by keyboard.
  await ada.goto(`${sonde.url}/users/create`);
  await expectNoViolations(ada);
  await ada.keyboard.type("iris");
  await ada.keyboard.press("Tab");
  await ada.keyboard.type("iris@example.com");
  await ada.keyboard.press("Tab");
  await ada.keyboard.type(first);
  await ada.keyboard.press("Tab");
  await ada.keyboard.press("Tab");
  await ada.keyboard.type(first);
  await ada.keyboard.press("Enter");
  await ada.waitForURL(/\/users$/);
  await ada.getByText("User created").waitFor();
  await ada.getByRole("link", { name: "iris", exact: true }).focus();
  await ada.keyboard.press("Enter");
  await ada.getByRole("textbox", { name: "Username" }).focus();
  await ada.keyboard.press("End");
  await ada.keyboard.type("2");
  await ada.keyboard.press("Enter");
  await ada.getByText("User updated").waitFor();
  await apiOf(sonde.url).send("POST", "/api/auth/login", { username: "iris2", password: first });
});

test("an invited colleague chooses a password, and can only read", async () => {
  const ada = await openPage("/login");
  await logIn(ada, admin);
  await ada.waitForURL(/\/dashboard/);
  await ada.getByRole("banner").getByRole("button", { name: /ada/ }).click();
  await ada.getByRole("menuitem", { name: "User Management" }).click();
  await ada.getByRole("button", { name: "Invite" }).click();
  await ada.getByRole("dialog").getByLabel("Role").waitFor();
  expect(await violationsOf(ada)).toEqual([]);
  await ada.getByRole("button", { name: "Create link" }).click();
  const link = (await ada.getByRole("dialog").locator("code").textContent()) ?? "";
  await ada.getByRole("button", { name: "Done" }).click();
  await ada.getByText("Anyone with the link").waitFor();
  await expectNoViolations(ada);

  // The page is in the language of the link, although this browser has stored another.
  const jo = await open({ locale: "zh-CN" });
  await jo.goto(link);
  await jo.getByRole("heading", { name: "Join Sonde" }).waitFor();
  expect(new URL(jo.url()).search).toBe("");
  await expectNoViolations(jo);
  await jo.getByRole("textbox", { name: "Username" }).fill("jo");
  await jo.getByLabel(/^Password/).fill(first);
  await jo.getByLabel(/^Confirm password/).fill(first);
  await jo.getByRole("button", { name: "Create account" }).click();
  await jo.waitForURL(/\/dashboard/);
  const { users } = await sonde.api.get<{ users: User[] }>("/api/users?search=jo");
  expect(users).toMatchObject([{ username: "jo", role: "viewer", status: "active" }]);

  const again = await open();
  await again.goto(link);
  await again.getByText("This invite was used or revoked, or it has expired").waitFor();
});
