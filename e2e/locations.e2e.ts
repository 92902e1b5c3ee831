import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type IsolatedRunner, mayIsolate, runIsolated, targetPort } from "./support/isolated-runner.ts";
import { violationsOf } from "./support/quality.ts";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";

type Made = { token: string; commands: { script: string } };
type Runner = { id: number; name: string; connected: boolean };
type Check = { status: string; startedAt: string; manual?: boolean };

const patience = { timeout: 120_000, interval: 500 };
const [monitors, intervalSeconds, cutMs] = [20, 2, 10_000];
let sonde: Installation;
let folder: string;
beforeAll(async () => {
  [sonde, folder] = await Promise.all([useInstallation("default"), mkdtemp(join(tmpdir(), "sonde-locations-"))]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runnersOf(location: string): Promise<Runner[]> {
  const { locations } = await sonde.api.get<{ locations: { name: string; remote?: { runners: Runner[] } }[] }>(
    "/api/locations",
  );
  return locations.find(({ name }) => name === location)?.remote?.runners ?? [];
}
const connected = async (location: string) =>
  (await runnersOf(location)).filter((runner) => runner.connected).map(({ name }) => name);

test.runIf(mayIsolate)(
  "a runner that reaches only the gateway checks its location, loses no result while it is cut off, and ends when it is revoked",
  async ({ onTestFinished }) => {
    const made = await sonde.api.send<Made>("POST", "/api/locations", { name: "island" });
    const runner: IsolatedRunner = await runIsolated(sonde.url, made.commands.script);
    onTestFinished(runner.stop);
    await expect.poll(() => connected("island"), patience).toEqual(["isolated"]);

    const url = `http://127.0.0.1:${targetPort}/`;
    const ids: number[] = [];
    for (let index = 1; index <= monitors; index++) {
      const fields = { interval: intervalSeconds / 60, timeout: 1, retries: 0, locations: ["island"] };
      const { monitor } = await sonde.api.send<{ monitor: { id: number } }>("POST", "/api/monitors", {
        name: `Island ${index}`,
        url,
        ...fields,
      });
      ids.push(monitor.id);
    }
    const counts = async () => {
      const query = `/api/monitors/counts?search=${encodeURIComponent("Island ")}`;
      return (await sonde.api.get<{ counts: { up: number; down: number } }>(query)).counts;
    };
    await expect.poll(counts, patience).toMatchObject({ up: monitors });

    const fromMs = Date.now();
    await runner.cut();
    await expect.poll(() => connected("island"), patience).toEqual([]);
    // The duration of the cut is the subject.
    await sleep(cutMs);
    await runner.heal();
    await expect.poll(() => connected("island"), patience).toEqual(["isolated"]);
    const toMs = Date.now();

    // Every slot from the cut to the return has its result, and none is down.
    const expected = Math.floor((toMs - fromMs) / 1_000 / intervalSeconds) - 1;
    for (const id of ids) {
      const during = async () => {
        const { checks } = await sonde.api.get<{ checks: Check[] }>(`/api/monitors/${id}/checks?limit=200`);
        return checks.filter(({ startedAt }) => Date.parse(startedAt) >= fromMs && Date.parse(startedAt) <= toMs);
      };
      await expect.poll(async () => (await during()).length >= expected, patience).toBe(true);
      expect((await during()).filter(({ status }) => status !== "up")).toEqual([]);
    }
    expect(await counts()).toMatchObject({ down: 0 });

    const ended = once(runner.child, "exit");
    const [{ id }] = (await runnersOf("island")) as [Runner];
    await sonde.api.send("DELETE", `/api/locations/island/runners/${id}`);
    expect((await ended)[0]).toBe(4);
    expect(runner.output()).toContain("The probe runner was revoked, or its key is not valid");
    const { entries } = await sonde.api.get<{ entries: { action: string }[] }>("/api/audit?target=location:island");
    expect(entries.map(({ action }) => action)).toEqual(["delete", "register", "create"]);
    for (const each of ids) await sonde.api.send("DELETE", `/api/monitors/${each}`);
  },
  400_000,
);

/** Runs the downloaded file on this machine's Node. */
async function startRunner(name: string, environment: Record<string, string>) {
  const file = join(folder, "sonde-runner.mjs");
  await writeFile(file, Buffer.from(await (await fetch(`${sonde.url}/downloads/sonde-runner.mjs`)).arrayBuffer()));
  const child = spawn("node", [file], {
    env: { PATH: process.env.PATH, SONDE_URL: sonde.url, SONDE_RUNNER_DIR: join(folder, name), ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (output += text));
  return { child, output: () => output };
}

test("a runner connects through an HTTP proxy, keeps its key for its user only, and refuses a used token", async ({
  onTestFinished,
}) => {
  const tunnels: string[] = [];
  const proxy = createServer().on("connect", ({ url = "" }, inbound, head) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const outbound = connect(Number(port), hostname, () => {
      inbound.write("HTTP/1.1 200 Connection established\r\n\r\n");
      outbound.write(head);
      inbound.pipe(outbound).pipe(inbound);
    });
    for (const socket of [inbound, outbound]) socket.on("error", () => (inbound.destroy(), outbound.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { token } = await sonde.api.send<Made>("POST", "/api/locations", { name: "behind" });
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const first = await startRunner("behind", { SONDE_TOKEN: token, SONDE_RUNNER_NAME: "behind", HTTP_PROXY: address });
  onTestFinished(() => void first.child.kill("SIGKILL"));
  await expect.poll(() => connected("behind"), patience).toEqual(["behind"]);
  expect(new Set(tunnels)).toEqual(new Set([new URL(sonde.url).host]));
  expect(tunnels.length).toBeGreaterThanOrEqual(3);
  const identity = join(folder, "behind", "sonde-runner.json");
  expect((await stat(identity)).mode & 0o777).toBe(0o600);
  expect(await readFile(identity, "utf8")).not.toContain(token);

  const second = await startRunner("second", { SONDE_TOKEN: token });
  expect((await once(second.child, "exit"))[0]).toBe(3);
  expect(second.output()).toContain("The registration token has already been used");
});

test("Add location is usable on a phone and by keyboard, without accessibility faults", async () => {
  const page = await openPage({ width: 390, height: 844 }, sonde.session);
  await page.goto(`${sonde.url}/settings/locations`);
  await page.getByRole("button", { name: "Add location" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("phone");
  await page.keyboard.press("Enter");
  await dialog.getByText("Waiting for the probe runner…").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.keyboard.press("Escape");
  await page.getByText("1 token is not used yet").first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});
