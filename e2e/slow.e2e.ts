import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Api } from "@sonde/testing/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installation, openPage, useInstallation } from "./support/shared.ts";

type Monitor = {
  id: number;
  status: string;
  slow: boolean;
  statusSince: string;
  recovery?: { good: number; of: number };
};
type Incident = { id: string; kind: string; cause: string; resolution?: string; openedAt: string; closedAt?: string };

let sonde: Installation;
let api: Api;
let target: Server;
/** Current behaviour of the target. */
let mode: "fast" | "slow" | "broken" = "fast";
beforeAll(async () => {
  sonde = await useInstallation("default");
  ({ api } = sonde);
  target = createServer((_request, response) => {
    const answer = () => response.writeHead(mode === "broken" ? 503 : 200).end();
    void wait(mode === "slow" ? 400 : 0).then(answer);
  });
  await new Promise<void>((listening) => target.listen(0, "127.0.0.1", listening));
});
afterAll(() => target.close());

const timeout = 60_000;
const urlOf = () => `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
const base = () => ({ type: "http", url: urlOf(), interval: 2 / 60, timeout: 1.5, retries: 0 });
const make = async (fields: object) =>
  (await api.send<{ monitor: Monitor }>("POST", "/api/monitors", { ...base(), ...fields })).monitor;
const read = async (id: number) => (await api.get<{ monitor: Monitor }>(`/api/monitors/${id}`)).monitor;
const incidentsOf = async (id: number) =>
  (await api.get<{ incidents: Incident[] }>(`/api/monitors/${id}/incidents`)).incidents;

test("a slow target makes the monitor slow, not down, and it needs several good checks after an outage", async () => {
  mode = "fast";
  const fields = { slowAfter: 300, slowChecks: { of: 2, in: 3 }, recoverAfter: 3 };
  const { id } = await make({ name: "slow shop", ...fields });
  await expect.poll(() => read(id), { timeout }).toMatchObject({ status: "up", slow: false });

  mode = "slow";
  await expect.poll(() => read(id), { timeout }).toMatchObject({ status: "up", slow: true });
  const [slow] = await incidentsOf(id);
  expect(slow).toMatchObject({ kind: "slow" });
  expect(slow?.cause).toMatch(/^2 of 3 checks took longer than 300 ms, most recently \d+ ms$/);
  const listed = await api.get<{ monitors: { id: number }[] }>("/api/monitors?status=slow&pageSize=100");
  expect(listed.monitors.map((monitor) => monitor.id)).toContain(id);
  const page = await openPage({}, sonde.session);
  await page.goto(`${sonde.url}/monitors/${id}`);
  await page.locator('[data-state="slow"]').first().waitFor();
  const story = await api.get<{ timeline: { type: string; reason?: string }[] }>(`/api/incidents/${slow!.id}`);
  expect(story.timeline.map(({ type }) => type)).toContain("opened");

  mode = "broken";
  await expect.poll(() => read(id), { timeout }).toMatchObject({ status: "down", slow: false });
  expect((await incidentsOf(id)).map(({ kind, resolution }) => `${kind} ${resolution ?? "open"}`)).toEqual([
    "down open",
    "slow replaced",
  ]);

  mode = "fast";
  await expect.poll(async () => (await read(id)).recovery?.good, { timeout, interval: 200 }).toBeGreaterThan(0);
  await expect.poll(() => read(id), { timeout }).toMatchObject({ status: "up" });
  const [down] = await incidentsOf(id);
  const { statusSince } = await read(id);
  expect(down).toMatchObject({ kind: "down", resolution: "recovered", closedAt: statusSince });
  const history = await api.get<{ checks: { status: string; startedAt: string }[] }>(`/api/monitors/${id}/checks`);
  const good = history.checks.filter(({ status }) => status === "up").map(({ startedAt }) => startedAt);
  expect(good).toContain(down?.closedAt);
  await api.send("DELETE", `/api/monitors/${id}`);
}, 240_000);

test("limits that make no sense are rejected at their field", async () => {
  const rejected = async (fields: object) => {
    const answer = await fetch(`${sonde.url}/api/monitors`, {
      method: "POST",
      headers: { authorization: `Bearer ${sonde.session.token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...base(), name: "slow refused", ...fields }),
    });
    const { errors = [] } = (await answer.json()) as { errors?: { path: string }[] };
    return [answer.status, ...errors.map(({ path }) => path)];
  };
  expect(await rejected({ slowAfter: 1500 })).toEqual([400, "slowAfter"]);
  expect(await rejected({ slowAfter: 300, slowChecks: { of: 4, in: 3 } })).toEqual([400, "slowChecks.of"]);
  expect(await rejected({ recoverAfter: 11 })).toEqual([400, "recoverAfter"]);
});
