import { secretMask } from "@sonde/proto/http/secrets";
import { beforeAll, expect, test } from "vitest";
import type { Api } from "@sonde/testing/api";
import { addAccount, type Installation, useInstallation } from "./support/shared.ts";

type Heartbeat = { id: number; status: string; pingUrl: string; lastError?: string | null };
type Incident = { id: string; kind: string; cause: string; closedAt?: string };

let sonde: Installation;
let api: Api;
beforeAll(async () => {
  sonde = await useInstallation("default");
  ({ api } = sonde);
});

const make = async (fields: object): Promise<Heartbeat> =>
  (await api.send<{ monitor: Heartbeat }>("POST", "/api/monitors", { type: "heartbeat", ...fields })).monitor;
const read = async ({ id }: Heartbeat): Promise<Heartbeat> =>
  (await api.get<{ monitor: Heartbeat }>(`/api/monitors/${id}`)).monitor;
const isNow = async (heartbeat: Heartbeat, status: string) =>
  await expect.poll(async () => (await read(heartbeat)).status, { timeout: 20_000, interval: 200 }).toBe(status);
const incidentsOf = async ({ id }: Heartbeat) =>
  (await api.get<{ incidents: Incident[] }>(`/api/monitors/${id}/incidents`)).incidents;

test("a job is up after a success ping and down after a failure ping, and its incident ends with the next success", async () => {
  const backup = await make({ name: "heartbeats backup", every: 60 });
  expect(backup.pingUrl).toMatch(new RegExp(`^${sonde.url}/ping/[\\da-f-]{36}$`));
  const call = (rest = "", body?: string) =>
    fetch(backup.pingUrl + rest, body === undefined ? {} : { method: "POST", body });
  const first = await call("/start?rid=6e8c6a3c-5b0e-4c9a-9d0e-0c9f6f0a1b2c");
  expect([first.status, await first.text()]).toEqual([200, "OK"]);
  expect((await call("/0?rid=6e8c6a3c-5b0e-4c9a-9d0e-0c9f6f0a1b2c", "copied 3 files")).status).toBe(200);
  await isNow(backup, "up");

  expect((await call("/1", "disk full")).status).toBe(200);
  await isNow(backup, "down");
  const [incident] = await incidentsOf(backup);
  expect(incident).toMatchObject({ kind: "down" });
  expect((await call()).status).toBe(200);
  await isNow(backup, "up");

  await expect
    .poll(async () => (await api.get<{ pings: object[] }>(`/api/monitors/${backup.id}/pings`)).pings, {
      timeout: 20_000,
    })
    .toMatchObject([
      { type: "success" },
      { type: "fail", exitCode: 1, output: "disk full" },
      { type: "success", exitCode: 0, output: "copied 3 files" },
      { type: "start" },
    ]);
});

test("a script for Uptime Kuma's push URL works", async () => {
  const job = await make({ name: "heartbeats pushed", every: 60 });
  const token = job.pingUrl.split("/").at(-1);
  const push = (query: string) => fetch(`${sonde.url}/api/push/${token}?${query}`);
  const up = await push("status=up&msg=OK&ping=12");
  expect([up.status, await up.json()]).toEqual([200, { ok: true }]);
  await isNow(job, "up");
  await push("status=down&msg=broken");
  await isNow(job, "down");
  const unknown = await fetch(`${sonde.url}/api/push/unknown`);
  expect([unknown.status, await unknown.json()]).toEqual([404, { ok: false, msg: "Monitor not found or not active." }]);
});

test("viewers see no ping address, and a new address leaves the old one working", async () => {
  const job = await make({ name: "heartbeats seen", every: 60 });
  const { api: viewer } = await addAccount(sonde, "heartbeats-vera", "viewer");
  const path = `/api/monitors/${job.id}`;
  expect((await viewer.get<{ monitor: Heartbeat }>(path)).monitor.pingUrl).toBe(secretMask);
  const { monitors } = await viewer.get<{ monitors: Heartbeat[] }>("/api/monitors");
  expect(monitors.filter(({ pingUrl }) => pingUrl !== undefined && pingUrl !== secretMask)).toEqual([]);

  const { monitor } = await api.send<{ monitor: Heartbeat }>("POST", `${path}/ping-url`, {});
  expect(monitor.pingUrl).not.toBe(job.pingUrl);
  for (const url of [job.pingUrl, monitor.pingUrl]) expect((await fetch(url)).status).toBe(200);
});

test("the ping key creates heartbeats by slug if an admin allowed it", async () => {
  const { pingKey } = await api.send<{ pingKey: string }>("PUT", "/api/ping-key", { creates: true });
  const url = `${sonde.url}/ping/${pingKey}/nightly`;
  await expect.poll(async () => (await fetch(`${url}?create=1`)).status, { timeout: 10_000 }).toBe(201);
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(`${sonde.url}/ping/${pingKey}/other`)).status).toBe(404);
});
