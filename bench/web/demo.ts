import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { openClickHouse } from "@sonde/metrics/clickhouse/open";
import { dayMs, dayOf, hourMs, hourOf } from "@sonde/metrics/rollups/instants";
import { insertMarks } from "@sonde/metrics/rollups/roll";
import { rollClosedHours } from "@sonde/metrics/rollups/roll";
import { makeCertificate } from "@sonde/probe-runner/testing/certificate";
import { serveDns } from "@sonde/probe-runner/testing/dns-server";
import { closeServers } from "@sonde/probe-runner/testing/loopback";
import { serveTls } from "@sonde/probe-runner/testing/tls-server";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { type Product, startProduct } from "@sonde/testing/product";
import { insertDay } from "./history.ts";
import { startAgents } from "./demo-agents.ts";
import { startChannels } from "./demo-channels.ts";

/** A Sonde with monitors that are really checked, a month of history that was made up, and four machines that report. */
export type Demo = { product: Product; api: Api; token: string; stop(): Promise<void> };

const named: { name: string; host: string; path: string; tags: string[]; more?: object }[] = [
  { name: "Checkout API", host: "checkout", path: "/health", tags: ["shop", "critical"] },
  { name: "Search", host: "search", path: "/v2/ping", tags: ["shop"] },
  {
    name: "Payments webhook",
    host: "payments",
    path: "/bad",
    tags: ["critical"],
    more: {
      method: "POST",
      body: "{}",
      note: "1. Is the **queue** empty?\n2. Restart the worker, then call the on-call of payments.",
    },
  },
  { name: "Image delivery", host: "images", path: "/health", tags: ["shop"] },
  { name: "Accounts", host: "accounts", path: "/health", tags: ["internal"] },
  { name: "Recommendations", host: "recommend", path: "/health", tags: ["shop"] },
  { name: "订单查询", host: "orders", path: "/health", tags: ["shop"] },
  { name: "Legacy reports", host: "reports", path: "/health", tags: ["internal"], more: { paused: true } },
  { name: "Mail gateway", host: "mail", path: "/health", tags: ["internal"] },
];
/** Monitors of the other kinds, against servers on loopback. */
const otherKinds = async (port: number, certified: Certificate) => [
  { name: "Orders database", type: "tcp", host: "orders-db.localhost", port, tags: ["shop", "critical"] },
  {
    name: "Mail records",
    type: "dns",
    host: "example.com",
    recordType: "MX",
    expect: ["10 mail.example.com"],
    resolver: `127.0.0.1:${(await serveDns({ "example.com": [mailRecord] })).port}`,
    tags: ["internal"],
  },
  {
    name: "Shop certificate",
    type: "tls",
    host: "127.0.0.1",
    port: await serveTls(certified),
    servername: "shop.example.com",
    tags: ["shop"],
  },
];
type Certificate = ReturnType<typeof makeCertificate>;
const mailRecord = {
  type: "MX",
  name: "example.com",
  data: { preference: 10, exchange: "mail.example.com" },
} as const;
const headers = [
  { name: "Accept", value: "application/json" },
  { name: "Authorization", value: "Bearer an-example" },
];

/** `count` monitors of HTTP, or without a number some of every kind; the first twenty have thirty days of history, the rest one. */
export async function startDemo(count?: number): Promise<Demo> {
  const target = createServer((request, response) => {
    const status = request.url === "/bad" ? 503 : 200;
    setTimeout(() => response.writeHead(status).end("{}"), 5 + Math.random() * 40);
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const port = (target.address() as AddressInfo).port;
  const certified = makeCertificate({ names: ["shop.example.com"], notAfter: new Date(Date.now() + 60 * dayMs) });
  const folder = await mkdtemp(join(tmpdir(), "sonde-demo-"));
  const authority = join(folder, "authority.pem");
  await writeFile(authority, certified.cert);
  const product = await startProduct({ NODE_EXTRA_CA_CERTS: authority });
  const { api, token } = await firstAdmin(product.url);
  for (let index = 0; index < (count ?? named.length); index++) {
    const { name, host, path, tags, more } = named[index] ?? {
      name: `Service ${index + 1}`,
      host: `service-${index + 1}`,
      path: "/health",
      tags: ["fleet"],
    };
    const url = `http://${host}.localhost:${port}${path}`;
    const input = { name, url, tags, ...(index === 0 ? { headers } : {}), ...more };
    await api.send<{ monitor: Monitor }>("POST", "/api/monitors", input);
  }
  const others = count === undefined ? await otherKinds(port, certified) : [];
  for (const input of others) await api.send("POST", "/api/monitors", input);
  await product.stop();
  await fillHistory(engineDir(product.dataDir), count ?? named.length + others.length);
  await product.start();
  const channels = await startChannels(api);
  const agents = await startAgents(product.url, api.send);
  return {
    product,
    api,
    token,
    stop: async () => {
      agents.stop();
      await product.remove();
      await channels.stop();
      closeServers();
      await rm(folder, { recursive: true, force: true });
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
    for (let day = 29; day >= 0; day--) {
      await insertDay(clickhouse.writer, today - day * dayMs, nowMs, day > 1 ? Math.min(20, monitors) : monitors);
    }
    const hours = Math.floor((nowMs - (today - 29 * dayMs)) / hourMs) + 1;
    await insertMarks(
      clickhouse.writer,
      Array.from({ length: hours }, (_, hour) => hourOf(nowMs) - hour * hourMs),
    );
    await rollClosedHours(clickhouse.writer, nowMs);
  } finally {
    await clickhouse.close();
  }
}
