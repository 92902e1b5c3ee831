import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { PublicStatus } from "@sonde/proto/http/status/status";
import { startStandIn, type StandIn } from "@sonde/notifier/testing/stand-ins";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { ask } from "./support/ask.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { openPage } from "./support/shared.ts";
import { startTarget, type Target } from "@sonde/testing/target";

// These tests kill and stop the product, so they need an installation of their own.
let product: Product;
let good: Target;
let bad: Target;
let ntfy: StandIn<"ntfy">;
let api: Api;
let healthy: Monitor;

beforeAll(async () => {
  [good, bad, ntfy] = await Promise.all([startTarget(), startTarget(), startStandIn("ntfy")]);
  product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2", PUBLIC_URL: "http://sonde.example.com" });
  ({ api } = await firstAdmin(product.url));
});

afterAll(async () => {
  await product?.remove();
  await Promise.all([good?.stop(), bad?.stop(), ntfy?.stop()]);
});

/** Keeps all rounds on one page of the list, however fast the machine is. */
const maxPerRound = 60;
const patience = { timeout: 60_000, interval: 200 };
const add = (name: string, url: string) =>
  api.send<{ monitor: Monitor }>("POST", "/api/monitors", { name, url, interval: 3 / 60 });
const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200")).monitors;
const incidents = async () => (await api.get<{ incidents: Incident[] }>("/api/incidents")).incidents;
const slotsOf = async ({ id }: Monitor) =>
  (await api.get<{ checks: CheckResult[] }>(`/api/monitors/${id}/checks?limit=200`)).checks.map(({ slot }) => slot);

test("acknowledged data survives a kill -9 of all processes, and no message is sent twice", async () => {
  const onCall = { name: "On call", type: "ntfy", config: ntfy.config };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", onCall);
  await api.send("PUT", "/api/notifications/settings/global-monitor", { channels: [channel.id] });
  bad.break();
  healthy = (await add("Healthy", good.url)).monitor;
  const unhealthy = (await add("Unhealthy", bad.url)).monitor;
  await expect.poll(incidents, patience).toHaveLength(1);
  await expect.poll(() => ntfy.accepted, patience).toHaveLength(1);
  await expect.poll(async () => (await slotsOf(healthy)).length, patience).toBeGreaterThan(1);
  const before = { slots: await slotsOf(healthy), incidents: await incidents() };

  for (const [round, killedAfter] of [2, 23].entries()) {
    const acknowledged: string[] = [];
    let killed = false;
    const adding = (async () => {
      for (let n = 1; n <= maxPerRound && !killed; n++) {
        const name = `Round ${round} monitor ${n}`;
        const answer = await add(name, good.url).catch(() => null);
        if (answer !== null) acknowledged.push(name);
      }
    })();
    await expect.poll(() => acknowledged.length, { ...patience, interval: 20 }).toBeGreaterThanOrEqual(killedAfter);
    const starting = product.killAndStart();
    killed = true;
    await Promise.all([starting, adding]);

    const names = (await monitors()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(acknowledged));
    expect((await incidents()).map(({ id, closedAt }) => ({ id, closedAt }))).toEqual(
      before.incidents.map(({ id, closedAt }) => ({ id, closedAt })),
    );
    expect(await slotsOf(healthy)).toEqual(expect.arrayContaining(before.slots));
  }

  bad.heal();
  await expect.poll(incidents, patience).toMatchObject([{ target: { id: unhealthy.id }, resolution: "recovered" }]);
  await expect.poll(() => ntfy.accepted.length, patience).toBeGreaterThan(1);
  await expect
    .poll(
      async () => (await api.get<{ total: number }>("/api/notifications/deliveries?status=pending")).total,
      patience,
    )
    .toBe(0);
  expect(ntfy.accepted).toHaveLength(2);
  const [latest = ""] = await slotsOf(healthy);
  expect(before.slots).not.toContain(latest);
});

test("after a kill during an apply, applying the same document completes it", async () => {
  const count = 100;
  const stored = async (round: number) =>
    (await api.get<{ total: number }>(`/api/monitors?search=r${round}-&pageSize=1`)).total;
  const settings = async () =>
    Object.keys((await api.get<{ monitors: object }>("/api/notifications/settings")).monitors).length;
  const channels = async (round: number) => {
    const answer = await api.get<{ channels: { name: string }[] }>("/api/notifications/channels");
    return answer.channels.filter(({ name }) => name === `round-${round}`).length;
  };
  // A document is stored in parts. Each round kills the product after another part.
  for (const [round, reached] of [channels, stored, settings].entries()) {
    const monitorAt = (at: number) => ({
      type: "tcp",
      host: "127.0.0.1",
      port: 1_000 + at,
      interval: 60,
      notify: { channels: [`round-${round}`] },
    });
    const many = Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${round}-${at}`, monitorAt(at)]));
    const config = {
      channels: { [`round-${round}`]: { type: "ntfy", serverUrl: "http://127.0.0.1:9", topic: `round-${round}` } },
      monitors: many,
    };
    const apply = (query = "") =>
      api.send<{ plan: Record<string, unknown[]> }>("POST", `/api/apply${query}`, {
        source: "killed",
        config,
        allowDelete: 1_000,
      });
    const sent = apply().catch(() => null);
    await expect.poll(() => reached(round), { ...patience, interval: 10 }).toBeGreaterThan(0);
    await product.killAndStart();
    await sent;
    await apply();
    const { create, update, remove, conflicts } = (await apply("?dryRun=true")).plan;
    expect({ create, update, remove, conflicts }).toEqual({ create: [], update: [], remove: [], conflicts: [] });
    expect([await stored(round), await settings()]).toEqual([count, count]);
  }
  await api.send("DELETE", "/api/sources/killed");
});

test("a restart keeps accounts and sessions, and Ctrl-C leaves nothing running", async () => {
  const before = (await monitors()).map(({ id }) => id);
  await product.stop();
  await expect(fetch(`${product.url}/api/config`)).rejects.toThrow();
  await product.start();
  expect((await monitors()).map(({ id }) => id)).toEqual(before);
});

test("public and private pages stay online while everything but the gateway is killed", async () => {
  const { url } = product;
  // A stale monitor's state on pages is outdated for up to a minute, so wait until the monitor is checked again.
  const lastCheckedAt = async () => (await monitors()).find(({ id }) => id === healthy.id)?.lastCheckedAt;
  const before = await lastCheckedAt();
  await expect.poll(lastCheckedAt, patience).not.toBe(before);
  const [password, host] = ["open sesame, please", "status.acme.example"];
  await api.send("PUT", "/api/status/config", { title: "Example status", monitors: [healthy.id] });
  const access = { mode: "password", password };
  await api.send("POST", "/api/pages", { slug: "acme", title: "Acme", monitors: [healthy.id], hosts: [host], access });
  await expect.poll(async () => (await ask(url, "/status/acme", { form: { password } })).status, patience).toBe(303);
  const { cookie } = await ask(url, "/status/acme", { form: { password } });
  const acme = (rest: string) => ask(url, `/status/acme${rest}`, { cookie });
  // Checks may change figures between two reads, but not these fields.
  const shown = async () =>
    ((await (await fetch(`${url}/api/status`)).json()) as { status: PublicStatus }).status.monitors.map(
      ({ id, name, status }) => ({ id, name, status }),
    );
  const isUp = [{ id: healthy.id, name: "Healthy", status: "up" }];
  await expect.poll(shown, patience).toEqual(isUp);
  await expect.poll(async () => (await acme("")).text, patience).toContain("Healthy");
  const stream = await fetch(`${url}/status/acme/events`, { headers: { cookie } });
  expect(stream.status).toBe(200);

  await product.leaveGatewayAlone();
  for (const path of ["/status", "/api/status", "/api/status/feed.atom", `/api/status/badges/${healthy.id}.svg`])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  expect(await shown()).toEqual(isUp);
  const page = await openPage();
  await page.goto(`${url}/status?lang=en-US`);
  await page.getByRole("heading", { name: "Healthy", exact: true }).waitFor();

  for (const rest of ["", "/history", "/data.json"]) {
    const { status, text } = await acme(rest);
    expect([rest, status]).toEqual([rest, 200]);
    if (rest !== "/history") expect(text).toContain("Healthy");
  }
  expect((await ask(url, "/", { host, cookie })).status).toBe(200);
  expect((await ask(url, "/status/acme")).status).toBe(404);
  expect((await ask(url, "/status/acme", { form: { password } })).status).toBe(503);
  await stream.body?.cancel();
});
