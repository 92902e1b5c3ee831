import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

let product: Product;
let good: Target;
let bad: Target;
let api: Api;

beforeAll(async () => {
  [good, bad] = await Promise.all([startTarget(), startTarget()]);
  product = await startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2" });
  ({ api } = await firstAdmin(product.url));
});

afterAll(async () => {
  await product?.remove();
  await Promise.all([good?.stop(), bad?.stop()]);
});

/** All rounds together fit in one page of the list, however fast the machine is. */
const mostOfRound = 60;
const intervalMinutes = 3 / 60;
const add = (name: string, url: string) =>
  api.send<{ monitor: Monitor }>("POST", "/api/monitors", { name, url, interval: intervalMinutes });
const monitors = async () => (await api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200")).monitors;
const incidents = async () => (await api.get<{ incidents: Incident[] }>("/api/incidents")).incidents;
const checks = async (id: number) =>
  (await api.get<{ checks: CheckResult[] }>(`/api/monitors/${id}/checks?limit=200`)).checks;

test(
  "what was acknowledged before a kill -9 of the whole is there after the next start",
  { timeout: 240_000 },
  async () => {
    bad.break();
    const well = (await add("Well", good.url)).monitor;
    const sick = (await add("Sick", bad.url)).monitor;
    await vi.waitFor(async () => expect(await incidents()).toHaveLength(1), { timeout: 30_000, interval: 200 });
    await vi.waitFor(async () => expect((await checks(well.id)).length).toBeGreaterThan(2), {
      timeout: 30_000,
      interval: 200,
    });
    const before = { checks: await checks(well.id), incidents: await incidents() };

    for (let round = 1; round <= 3; round++) {
      const acknowledged: string[] = [];
      let killed = false;
      const adding = (async () => {
        for (let n = 1; n <= mostOfRound && !killed; n++) {
          const name = `Round ${round} monitor ${n}`;
          const answer = await add(name, good.url).catch(() => null);
          if (answer !== null) acknowledged.push(name);
        }
      })();
      await vi.waitFor(() => expect(acknowledged).not.toEqual([]), { timeout: 30_000, interval: 20 });
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1200));
      const starting = product.killAndStart();
      killed = true;
      await Promise.all([starting, adding]);

      const names = (await monitors()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(acknowledged));
      expect((await incidents()).map(({ id, closedAt }) => ({ id, closedAt }))).toEqual(
        before.incidents.map(({ id, closedAt }) => ({ id, closedAt })),
      );
      const slots = (await checks(well.id)).map(({ slot }) => slot);
      expect(slots).toEqual(expect.arrayContaining(before.checks.map(({ slot }) => slot)));
    }

    bad.heal();
    await vi.waitFor(
      async () => expect(await incidents()).toMatchObject([{ target: { id: sick.id }, resolution: "recovered" }]),
      { timeout: 30_000, interval: 200 },
    );
    const later = (await checks(well.id))[0]?.startedAt ?? "";
    expect(later > (before.checks[0]?.startedAt ?? "")).toBe(true);
  },
);

test(
  "a second start keeps accounts and sessions, and Ctrl-C leaves nothing running",
  { timeout: 120_000 },
  async () => {
    const known = (await monitors()).map(({ id }) => id);
    await product.stop();
    await expect(fetch(`${product.url}/api/config`)).rejects.toThrow();
    await product.start();
    expect((await monitors()).map(({ id }) => id)).toEqual(known);
  },
);
