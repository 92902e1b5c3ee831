import { afterAll, afterEach, expect, test } from "vitest";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { makeMemoryGroup, type MemoryGroup } from "@sonde/testing/memory-group";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

const group: MemoryGroup | null = await makeMemoryGroup(`sonde-e2e-${process.pid}`);
let product: Product | undefined;
let target: Target | undefined;
afterEach(async () => {
  await product?.remove();
  await target?.stop();
});
afterAll(() => group?.remove());

const monitors = 500;
const ofMonitors = async (api: Api) =>
  (await api.get<{ monitors: Record<"total" | "up" | "down" | "pending", number> }>("/api/dashboard")).monitors;

// The limit includes the page cache, so it is stricter than a machine with this much memory.
test.skipIf(group === null)("a first start in 1 GiB builds its agent", { timeout: 600_000 }, async () => {
  await group!.limit(1024);
  product = await startProduct({ AGENT_DOWNLOAD_DIR: "" }, group!.enter);
  const { api } = await firstAdmin(product.url);

  await api.send("POST", "/api/agents/tokens", {});

  const linux = async () =>
    (await api.get<{ downloads: { platform: string; status: string }[] }>("/api/agents/downloads")).downloads.find(
      ({ platform }) => platform === `${process.platform}-${process.arch}`,
    );
  await expect.poll(linux, { timeout: 300_000 }).toMatchObject({ status: "ready" });
  expect(await group!.kills()).toBe(0);
});

test.skipIf(group === null)(
  "500 monitors checked every minute work in 512 MiB after the start",
  { timeout: 900_000 },
  async () => {
    await group!.limit(768);
    const killsBefore = await group!.kills();
    target = await startTarget();
    product = await startProduct({}, group!.enter);
    const { api } = await firstAdmin(product.url);

    await group!.limit(512);
    for (let from = 0; from < monitors; from += 20) {
      const each = Array.from({ length: 20 }, (_, at) => ({
        name: `small ${from + at}`,
        url: `${target!.url}?${from + at}`,
      }));
      await Promise.all(each.map((monitor) => api.send("POST", "/api/monitors", monitor)));
    }
    await expect.poll(() => ofMonitors(api), { timeout: 240_000 }).toMatchObject({ total: monitors, up: monitors });
    // Wait for two more checks of each monitor.
    const seen = target.hits();
    await expect.poll(() => target!.hits(), { timeout: 300_000, interval: 1000 }).toBeGreaterThan(seen + 2 * monitors);
    expect(await ofMonitors(api)).toMatchObject({ up: monitors, down: 0, pending: 0 });
    expect(await group!.kills()).toBe(killsBefore);
    expect(product.output()).not.toMatch(/restarting in|(?:responds|is running) again|unavailable/);
  },
);
