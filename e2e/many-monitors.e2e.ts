import { expect, test } from "vitest";
import { firstAdmin } from "@sonde/testing/api";
import { openBrowser } from "@sonde/testing/browser";
import { startProduct } from "@sonde/testing/product";
import { settled, violationsOf, watchErrors } from "./support/quality.ts";
import { startTarget } from "@sonde/testing/target";

const patienceMs = 60_000;
const count = 40;
const failing = 3;

type Listed = { total: number; monitors: { name: string; status: string }[] };
type Incidents = { total: number };

test(
  "forty monitors are paused together, which says how many incidents it ends, and the pause is undone",
  { timeout: 300_000 },
  async ({ onTestFinished }) => {
    const target = await startTarget();
    onTestFinished(() => target.stop());
    const product = await startProduct();
    onTestFinished(() => product.remove());
    const { api, token } = await firstAdmin(product.url);
    const user = JSON.stringify((await api.get<{ user: unknown }>("/api/auth/me")).user);
    for (let index = 1; index <= count; index++) {
      const url = index <= failing ? "http://127.0.0.1:9/health" : target.url;
      await api.send("POST", "/api/monitors", { name: `Service ${index}`, url, retries: 0, tags: ["all"] });
    }
    // One that is paused already stays so, whatever is undone.
    await api.send("POST", "/api/monitors", {
      name: "Paused before",
      url: target.url,
      tags: ["all"],
      paused: true,
    });
    const totalOf = async (path: string) => (await api.get<Incidents>(path)).total;
    await expect.poll(() => totalOf("/api/incidents?open=true"), { timeout: patienceMs }).toBe(failing);

    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = browser.context.pages()[0] ?? (await browser.context.newPage());
    const errors = watchErrors(page);
    await page.goto(`${product.url}/login`);
    await page.evaluate(
      `for (const [key, value] of Object.entries(${JSON.stringify({ token, user })})) localStorage.setItem(key, value)`,
    );
    await page.goto(`${product.url}/monitors?tag=all`);
    await settled(page);
    const main = page.getByRole("main");
    // What is down comes first, and is counted.
    expect(
      await main
        .locator("tbody tr [data-state]")
        .nth(failing - 1)
        .textContent(),
    ).toBe("Down");
    await main.getByRole("button", { name: `${failing} Down` }).waitFor();

    await main.getByRole("checkbox", { name: "Select all on this page" }).click();
    await main.getByRole("button", { name: "Pause", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Pause and end ${failing} incidents?` });
    await dialog.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Pause" }).click();
    const toast = page.locator("[role=status]", { hasText: `${count + 1} monitors paused` });
    // A pointer on it keeps it.
    await toast.hover();
    expect(await violationsOf(page)).toEqual([]);
    const paused = () => totalOf("/api/monitors?status=paused");
    expect([await paused(), await totalOf("/api/incidents?open=true")]).toEqual([count + 1, 0]);
    await main.getByRole("button", { name: `${count + 1} Paused` }).waitFor();

    await toast.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    await expect.poll(paused, { timeout: patienceMs }).toBe(1);
    const { monitors } = await api.get<Listed>("/api/monitors?status=paused");
    expect(monitors).toMatchObject([{ name: "Paused before" }]);
    // What is still broken has an incident again.
    await expect.poll(() => totalOf("/api/incidents?open=true"), { timeout: patienceMs }).toBe(failing);

    // Paused from a filter that no longer has it, a row stays in sight.
    await page.goto(`${product.url}/monitors?status=down`);
    await main.getByRole("button", { name: "Actions: Service 1", exact: true }).click();
    await page.getByRole("menuitem", { name: "Pause" }).click();
    await page
      .getByRole("dialog", { name: "Pause and end 1 incident?" })
      .getByRole("button", { name: "Pause" })
      .click();
    await main.getByText("1 changed monitor no longer matches and stays here.").waitFor();
    await main.getByRole("link", { name: "Service 1", exact: true }).waitFor();
    expect(errors()).toEqual([]);
  },
);
