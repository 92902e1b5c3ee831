import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";
import { dayMs, dayOf, hourMs, hourOf } from "@sonde/metrics/rollups/instants";
import { insertMarks, rollClosedHours } from "@sonde/metrics/rollups/roll";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { insertDay } from "./history.ts";

export type Demo = { product: Product; api: Api; token: string; stop(): Promise<void> };

const days = 30;
/** Monitors with a full history. The others have two days. */
const longHistories = 20;

/** Starts a Sonde that checks HTTP monitors on loopback, with generated history. The third monitor is down. */
export async function startDemo(monitors: number): Promise<Demo> {
  const target = createServer((request, response) => {
    setTimeout(() => response.writeHead(request.url === "/bad" ? 503 : 200).end("{}"), 5 + Math.random() * 40);
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  const product = await startProduct();
  const { api, token } = await firstAdmin(product.url);
  for (let n = 1; n <= monitors; n++) {
    const url = `http://service-${n}.localhost:${port}/${n === 3 ? "bad" : "health"}`;
    await api.send("POST", "/api/monitors", { name: `Service ${n}`, url, tags: [n <= 10 ? "shop" : "fleet"] });
  }
  await product.stop();
  await fillHistory(engineDir(product.dataDir), monitors);
  await product.start();
  return {
    product,
    api,
    token,
    stop: async () => {
      await product.remove();
      target.closeAllConnections();
      await new Promise((resolve) => target.close(resolve));
    },
  };
}

async function fillHistory(dataDir: string, monitors: number): Promise<void> {
  const nowMs = Date.now();
  const clickhouse = await openClickHouse({ dataDir });
  try {
    const today = dayOf(nowMs);
    for (let day = days - 1; day >= 0; day--) {
      await insertDay(
        clickhouse.writer,
        today - day * dayMs,
        nowMs,
        day > 1 ? Math.min(longHistories, monitors) : monitors,
      );
    }
    const hours = Math.floor((nowMs - (today - (days - 1) * dayMs)) / hourMs) + 1;
    await insertMarks(
      clickhouse.writer,
      Array.from({ length: hours }, (_, hour) => hourOf(nowMs) - hour * hourMs),
    );
    await rollClosedHours(clickhouse.writer, nowMs);
  } finally {
    await clickhouse.close();
  }
}
