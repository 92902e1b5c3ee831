import { expect, test } from "vitest";
import { settled, violationsOf, watchErrors } from "./support/quality.ts";
import { openPage, useInstallation } from "./support/shared.ts";
import { startTarget } from "@sonde/testing/target";

const patienceMs = 60_000;
const count = 40;
const failing = 3;
const tag = "many";

type Listed = { monitors: { name: string }[] };
type Incidents = { incidents: { target: { name: string } }[] };
const failingNames = Array.from({ length: failing }, (_, at) => `Service ${at + 1}`);

test("pausing forty monitors at once shows how many incidents end, and can be undone", async ({ onTestFinished }) => {
  const target = await startTarget();
  onTestFinished(() => target.stop());
  const { url: origin, api, session } = await useInstallation("default");
  for (let index = 1; index <= count; index++) {
    const url = index <= failing ? "http://127.0.0.1:9/health" : target.url;
    await api.send("POST", "/api/monitors", { name: `Service ${index}`, url, retries: 0, tags: [tag] });
  }
  // A monitor that was already paused stays paused after an undo.
  await api.send("POST", "/api/monitors", {
    name: "Paused before",
    url: target.url,
    tags: [tag],
    paused: true,
  });
  const inState = async (status: string) =>
    (await api.get<Listed>(`/api/monitors?tag=${tag}&status=${status}&pageSize=100`)).monitors.map(({ name }) => name);
  const downCount = async () => (await inState("down")).length;
  await expect.poll(downCount, { timeout: patienceMs }).toBe(failing);

  const page = await openPage({}, session);
  const errors = watchErrors(page);
  await page.goto(`${origin}/monitors?tag=${tag}`);
  await settled(page);
  const main = page.getByRole("main");
  // Monitors that are down come first. A button filters by them and shows their count.
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
  // The toast stays open while the pointer is on it.
  await toast.hover();
  expect(await violationsOf(page)).toEqual([]);
  const openIncidents = async () =>
    (await api.get<Incidents>("/api/incidents?open=true&pageSize=100")).incidents.filter(({ target: { name } }) =>
      failingNames.includes(name),
    );
  expect([(await inState("paused")).length, await openIncidents()]).toEqual([count + 1, []]);
  await main.getByRole("button", { name: `${count + 1} Paused` }).waitFor();

  await toast.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone").waitFor();
  await expect.poll(() => inState("paused"), { timeout: patienceMs }).toEqual(["Paused before"]);
  // Monitors that still fail open new incidents.
  await expect.poll(async () => (await openIncidents()).length, { timeout: patienceMs }).toBe(failing);

  // A row that no longer matches the filter after the pause stays visible.
  await page.goto(`${origin}/monitors?tag=${tag}&status=down`);
  await main.getByRole("button", { name: "Actions: Service 1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await page.getByRole("dialog", { name: "Pause and end 1 incident?" }).getByRole("button", { name: "Pause" }).click();
  await main.getByText("1 changed monitor no longer matches but is still shown.").waitFor();
  await main.getByRole("link", { name: "Service 1", exact: true }).waitFor();
  expect(errors()).toEqual([]);
});
