import { startStandIn, type StandIn } from "@sonde/notifier/testing/stand-ins";
import type { ReportDefinition } from "@sonde/proto/http/reports";
import type { Slo } from "@sonde/proto/http/slos";
import type { Api } from "@sonde/testing/api";
import { startTarget, type Target } from "@sonde/testing/target";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";

type Incident = { id: string; kind: string; cause: string; resolution?: string };
type Alert = { type: string; data: { incident: { id: string; kind: string; cause: string } } };

// Burn alerts are decided once a minute, and count whole minutes.
const patience = { timeout: 180_000, interval: 500 };
let sonde: Installation;
let api: Api;
let target: Target;
let webhook: StandIn<"webhook">;
let monitorId: number;
beforeAll(async () => {
  [sonde, target, webhook] = await Promise.all([useInstallation("default"), startTarget(), startStandIn("webhook")]);
  ({ api } = sonde);
  const [{ channel }, { monitor }] = await Promise.all([
    api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", {
      name: "Levels webhook",
      type: "webhook",
      config: webhook.config,
    }),
    api.send<{ monitor: { id: number } }>("POST", "/api/monitors", {
      name: "Levels shop",
      url: target.url,
      interval: 2 / 60,
      timeout: 1.5,
      retries: 0,
    }),
  ]);
  monitorId = monitor.id;
  const settings = { channels: [channel.id], language: "en-US" };
  await api.send("PUT", `/api/notifications/settings/monitor/${monitorId}`, settings);
});
afterAll(() => Promise.all([target?.stop(), webhook?.stop()]));

const failedChecks = async () => {
  const path = `/api/monitors/${monitorId}/checks?limit=200`;
  const { checks } = await api.get<{ checks: { status: string }[] }>(path);
  return checks.filter(({ status }) => status === "down").length;
};
const read = async (id: number) => (await api.get<{ slo: Slo }>(`/api/slos/${id}`)).slo;
const burns = async () => {
  const { incidents } = await api.get<{ incidents: Incident[] }>(`/api/monitors/${monitorId}/incidents`);
  return incidents.filter(({ kind }) => kind === "slo");
};
const alerts = () =>
  webhook.accepted.map(({ text }) => JSON.parse(text) as Alert).filter(({ data }) => data.incident.kind === "slo");

test("failed checks spend the budget on the screen, and open an incident that sends an alert", async () => {
  target.break();
  const { slo } = await api.send<{ slo: Slo }>("POST", "/api/slos", {
    name: "Levels checkout",
    targets: [{ type: "monitor", id: monitorId }],
    objective: 99,
    window: "7d",
  });
  await expect.poll(failedChecks, patience).toBeGreaterThanOrEqual(4);
  target.heal();

  await expect.poll(burns, patience).toHaveLength(1);
  const [incident] = await burns();
  const sentence =
    /^\d+ (seconds|minutes?) spent so far; the budget of 7 days is 100 minutes(, at this rate used up .+)?$/;
  expect(incident?.cause.replace(/^Levels checkout: /, "")).toMatch(sentence);
  await expect.poll(alerts, patience).toHaveLength(1);
  expect(alerts()[0]?.data.incident).toMatchObject({ id: incident!.id, cause: incident!.cause });

  // All failed checks are counted once their minute is over.
  const failed = await failedChecks();
  await expect.poll(async () => (await read(slo.id)).budget?.badSlots, patience).toBe(failed);
  const { budget, incidentId, sentence: said = "" } = await read(slo.id);
  expect(said).toMatch(sentence);
  expect(incidentId).toBe(incident!.id);
  expect(budget).toMatchObject({ windowMinutes: 100.8, allowedMinutes: expect.any(Number) as number });
  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/service-levels`);
  await page.getByRole("link", { name: "Levels checkout", exact: true }).click();
  await page.getByText(/ spent so far; the budget of 7 days is 100 minutes/).waitFor();
  await page.getByRole("link", { name: /view the open incident/ }).click();
  await page.getByText("Levels shop").first().waitFor();
  await page.close();

  // A change closes the incident without an alert.
  await api.send("PUT", `/api/slos/${slo.id}`, { burnAlerts: false });
  expect(await burns()).toMatchObject([{ id: incident!.id, resolution: "edited" }]);
  expect((await read(slo.id)).incidentId).toBeUndefined();
  expect(alerts()).toHaveLength(1);
  await api.send("DELETE", `/api/slos/${slo.id}`);
}, 400_000);

test("a report made by hand is verified offline by the served command, and a changed one is not", async () => {
  const { report } = await api.send<{ report: ReportDefinition }>("POST", "/api/reports", {
    name: "Levels report",
    targets: [{ type: "monitor", id: monitorId }],
    every: "day",
  });
  const made = await api.send<{ report: ReportDefinition }>("POST", `/api/reports/${report.id}/send`, {});
  const { link } = made.report.issues[0]!;
  const { publicKey } = await api.get<{ publicKey: string }>("/api/reports");
  const folder = await mkdtemp(join(tmpdir(), "sonde-levels-"));
  const download = async (path: string) => Buffer.from(await (await fetch(new URL(path, sonde.url))).arrayBuffer());
  const document = (await download(link)).toString();
  await writeFile(join(folder, "sonde.mjs"), await download("/downloads/sonde.mjs"));
  await writeFile(join(folder, "key.pem"), publicKey);
  await writeFile(join(folder, "report.html"), document);
  await writeFile(join(folder, "changed.html"), document.replaceAll("Levels shop", "Levels show"));
  const verify = (file: string) =>
    promisify(execFile)("node", ["sonde.mjs", "verify", file, "--key", "key.pem"], { cwd: folder });
  expect((await verify("report.html")).stdout).toContain("Verified: made by the installation with this key");
  await expect(verify("changed.html")).rejects.toMatchObject({
    stderr: expect.stringContaining("It was changed after it was signed") as string,
  });
  await rm(folder, { recursive: true, force: true });
  await api.send("DELETE", `/api/reports/${report.id}`);
}, 120_000);
