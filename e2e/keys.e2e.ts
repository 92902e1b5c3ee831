import { expect, test } from "vitest";
import { apiOf } from "@sonde/testing/api";
import { logIn } from "@sonde/testing/browser";
import { overflowOf, violationsOf } from "./support/quality.ts";
import { addAccount, openPage, useInstallation } from "./support/shared.ts";

test("a key created on a phone allows only what its scope permits, and revoking it takes effect everywhere", async () => {
  const sonde = await useInstallation("default");
  const owner = await addAccount(sonde, "keys-owner");
  const page = await openPage({ width: 390 });
  await page.goto(`${sonde.url}/login`);
  await logIn(page, owner);
  await page.waitForURL(/\/dashboard/);
  await page.goto(`${sonde.url}/profile`);
  await page.getByRole("button", { name: "Add key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Name/).fill("CI");
  await dialog.getByRole("checkbox", { name: /^monitors/ }).check();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Shown only once").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const secret = await dialog.getByText(/^sonde_\w+$/).textContent();
  await dialog.getByRole("button", { name: "Done" }).click();

  const key = apiOf(sonde.url, secret!);
  await key.send("POST", "/api/monitors", { name: "by a key", url: "https://example.com", paused: true });
  expect(await key.get("/api/monitors?search=by+a+key")).toMatchObject({ total: 1 });
  await expect(key.send("POST", "/api/silences", { minutes: 5 })).rejects.toThrow(/403.*lacks the scope incidents/);
  await expect(key.get("/api/users")).rejects.toThrow(/403.*API keys cannot be used for this/);
  const headers = { authorization: `Bearer ${secret}` };
  const stream = await fetch(`${sonde.url}/api/events`, { headers });
  expect(stream.status).toBe(200);

  await page.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No API keys yet.").waitFor();
  await expect(key.get("/api/monitors")).rejects.toThrow(/401/);
  for await (const _ of stream.body!) void 0;
  expect(await violationsOf(page)).toEqual([]);
});
