import { keyRefusedExitCode, systemdUnit } from "@sonde/proto/http/agents/install";
import type { Agent } from "@sonde/proto/http/agents/agents";
import type { AgentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import { cpus, hostname, totalmem } from "node:os";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { type Api, apiOf } from "@sonde/testing/api";
import { freshMachine } from "../support/fresh-machine.ts";
import { copyLinuxCommands, tileOf } from "../support/guide.ts";
import { overflowOf, violationsOf, watchErrors } from "../support/quality.ts";
import { type Installation, openPage, useInstallation } from "../support/shared.ts";

let sonde: Installation;
let api: Api;

/** Sonde reports an agent as offline after 30 s of silence. */
const waitOptions = { timeout: 60_000, interval: 250 };
const intervalSeconds = 2;

// The first token triggers the agent's build, so build once for all tests.
beforeAll(async () => {
  sonde = await useInstallation("default");
  ({ api } = sonde);
  const platform = `${process.platform}-${process.arch}`;
  const expectBuilt = async () => {
    const { downloads } = await api.get<AgentDownloadsAnswer>("/api/agents/downloads");
    expect(downloads).toContainEqual(expect.objectContaining({ platform, status: "ready" }));
  };
  await api.send("POST", "/api/agents/tokens", { name: "begins the build" });
  await vi.waitFor(expectBuilt, { timeout: 115_000, interval: 500 });
});

async function isWellMade(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
}

const readAgent = async (id: number) => (await api.get<{ agent: Agent }>(`/api/agents/${id}`)).agent;

// The second test runs while the first waits for its agent to be offline.
test.concurrent("a new user installs an agent with the guide's commands and sees it online, offline, online again and deleted", async ({
  expect,
  onTestFinished,
}) => {
  const machine = await freshMachine();
  onTestFinished(() => machine.remove());
  const { url } = sonde;
  const page = await openPage({}, sonde.session);
  page.setDefaultTimeout(waitOptions.timeout);
  const errors = watchErrors(page);
  const main = page.getByRole("main");
  const badge = (state: string) => main.locator(`[data-state=${state}]`).first();

  await page.goto(`${url}/agents`);
  await main.getByRole("link", { name: "Add agent" }).first().click();
  await page.waitForURL("**/agents/create");
  const uiTexts = {
    interval: "Report interval",
    make: "Create token",
    otherWays: "Other ways",
    download: "Download the agent",
    run: "Register and run it",
    copy: "Copy the commands",
  };
  // Without a name the guide waits for any new agent, and other tests add agents.
  await page.getByRole("textbox", { name: "Name" }).fill("Newcomer's");
  const commands = await copyLinuxCommands(page, uiTexts, intervalSeconds);
  await page.getByText("Waiting for the agent…").waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await isWellMade(page);
  await page.setViewportSize({ width: 1440, height: 900 });

  // On the machine, run only the copied commands. The page updates without a reload.
  await machine.run(commands.download);
  let agent = machine.start(commands.run);
  await main.getByRole("link", { name: "Open Newcomer's" }).click();
  await page.waitForURL(/\/agents\/\d+$/);
  const id = Number(page.url().split("/").at(-1));

  await badge("online").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Newcomer's");
  await expect.poll(async () => (await readAgent(id)).latest?.disks, waitOptions).toBeDefined();
  const { latest, interval, hostname: reported } = await readAgent(id);
  expect({ reported, interval }).toEqual({ reported: hostname(), interval: intervalSeconds });
  if (latest?.scope === "container") expect(latest.memory?.total).toBeLessThanOrEqual(totalmem());
  else expect([latest?.memory?.total, latest?.cpu?.cores]).toEqual([totalmem(), cpus().length]);
  const [disk, network] = [latest?.disks?.[0], latest?.network?.[0]];
  expect(disk?.total).toBeGreaterThan(0);
  await main
    .getByRole("cell", { name: disk?.mountPoint ?? "", exact: true })
    .first()
    .waitFor();
  await main.getByRole("tab", { name: /^Network/ }).click();
  await main
    .getByRole("cell", { name: network?.interface ?? "", exact: true })
    .first()
    .waitFor();
  for (const label of ["CPU", "Memory", "Disk (highest)", "Load"])
    await expect.poll(() => tileOf(page, label), waitOptions).toMatch(/\d/);

  await page.evaluate("globalThis.openedOnce = true");
  const seen = () => main.locator("dl time").first().getAttribute("datetime");
  // On a busy machine CPU may stay at 100 %, but the load changes.
  const figures = async () => `${await tileOf(page, "CPU")} ${await tileOf(page, "Load")}`;
  const [before, figuresBefore] = [await seen(), await figures()];
  await expect.poll(seen, waitOptions).not.toBe(before);
  await expect.poll(figures, waitOptions).not.toBe(figuresBefore);
  expect(await page.evaluate("globalThis.openedOnce")).toBe(true);

  await page.goto(`${url}/dashboard`);
  // The count of online agents shows even if nothing needs attention.
  const online = main.locator("a[href='/agents?status=online']").filter({ hasText: /Online\s*[1-9]/ });
  await online.waitFor(waitOptions);

  await page.goto(`${url}/agents/edit/${id}`);
  await page.locator("input[name=name]").fill("Web server 1");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Agent updated successfully").waitFor();
  await page.getByRole("heading", { level: 1, name: "Web server 1" }).waitFor();

  const status = JSON.parse(await machine.run("./sonde-agent status --json")) as { running: boolean; pid: number };
  expect(status.running).toBe(true);
  await machine.run(`kill -INT ${status.pid}`);
  expect(await agent.ended).toBe(0);
  await badge("offline").waitFor();
  await page.getByText("This agent is offline.").waitFor();
  agent = machine.start("./sonde-agent run");
  await badge("online").waitFor();

  // Deletion revokes the key at once. The agent reports why and exits.
  const config = JSON.parse(await machine.run('cat "${SONDE_AGENT_DIR:-/var/lib/sonde-agent}/config.json"')) as {
    key: string;
  };
  const report = { samples: [{ at: new Date().toISOString() }] };
  const asAgent = apiOf(url, config.key);
  expect(await asAgent.send("POST", "/agent/v1/report", report)).toMatchObject({ accepted: 1 });
  await main.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Agent successfully deleted").waitFor();
  await expect(asAgent.send("POST", "/agent/v1/report", report)).rejects.toThrow(/401/);
  expect(await agent.ended).toBe(keyRefusedExitCode);
  expect(agent.output()).toContain("The server rejected this agent's key");

  expect(await machine.run("./sonde-agent uninstall --yes")).toContain("Deleted the agent's key");
  await expect(machine.run("./sonde-agent status")).rejects.toThrow("not registered");
  expect(errors()).toEqual([]);
});

test.concurrent("the service commands install everything, or nothing if one fails", async ({
  expect,
  onTestFinished,
}) => {
  const machine = await freshMachine();
  onTestFinished(() => machine.remove());
  const { install } = await api.send<{ install: { systemd: string } }>("POST", "/api/agents/tokens", {
    name: "service",
  });
  if (machine.kind === "shared") {
    // They would change this machine, so only check that a shell can parse them.
    console.warn("The service commands were parsed by a shell, but not run.");
    expect(await machine.run(`sh -n <<'COMMANDS'\n${install.systemd}COMMANDS\n`)).toBe("");
    return;
  }
  // The machine has no service manager, so the last commands fail. Start the agent by hand instead.
  const setUp = machine.start(install.systemd);
  expect(await setUp.ended).not.toBe(0);
  const [, id] = /Registered as agent (\d+)/.exec(setUp.output()) ?? [];
  expect(id, setUp.output()).toBeDefined();
  expect(await machine.run("cat /etc/systemd/system/sonde-agent.service")).toBe(systemdUnit());
  expect(await machine.run("cd /var/lib/sonde-agent && stat -c '%U %a' . config.json /usr/local/bin/sonde-agent")).toBe(
    "sonde-agent 700\nsonde-agent 600\nroot 755\n",
  );
  const asUser = "setpriv --reuid=sonde-agent --regid=sonde-agent --clear-groups";
  const agent = machine.start(`${asUser} env SONDE_AGENT_DIR=/var/lib/sonde-agent /usr/local/bin/sonde-agent run`);
  const state = async () => (await readAgent(Number(id))).status;
  await expect.poll(state, waitOptions).toBe("online");
  await api.send("DELETE", `/api/agents/${id}`);
  expect(await agent.ended).toBe(keyRefusedExitCode);

  // A token works once. With a used one, the commands leave no service behind.
  await machine.run("rm /etc/systemd/system/sonde-agent.service");
  const again = machine.start(install.systemd);
  expect(await again.ended).toBe(keyRefusedExitCode);
  expect(again.output()).toContain("already been used");
  await expect(machine.run("ls /etc/systemd/system/sonde-agent.service")).rejects.toThrow("No such file");
});
