/**
 * Measures the public page on loopback and prints each figure beside its goal: `npm run bench:status`, with `--write` into
 * bench/results/status.md, with names (`crowd`, `pages`, `streams`, `page`, `live`) those alone, with a number for so many milliseconds each.
 */
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { cookieName, grantOf, sealGrant } from "@sonde/gateway/status/grants";
import { startNats } from "@sonde/kit/embedded/nats";
import { accessKey, type PageAccess } from "@sonde/proto/http/status/access";
import { documentsKey } from "@sonde/proto/http/status/documents";
import { defaultSlug, pagePath, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { packDocuments } from "@sonde/status-page/testing/documents";
import { createSecretKey, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { startWatched, type Watched } from "../gateway/processes.ts";
import { reportFigures } from "../pipeline/report.ts";
import type { Figure } from "../probe/figures.ts";
import { liveChanges } from "./live.ts";
import { pageOfDemo } from "./page.ts";
import { renderPages } from "./pages.ts";
import { crowd, privateVisitor, sizeOf } from "./requests.ts";
import { snapshotOf, statesOf } from "./snapshot.ts";
import { publicStreams } from "./streams.ts";

const services = 50;
const htmlBytes = 40 * 1024;

const privateSlug = "customer";
const privateKey = randomBytes(32);
const privateAccess: PageAccess = {
  revision: 1,
  mode: "password",
  hosts: [],
  key: privateKey.toString("base64"),
  links: [],
  allowFrom: [],
};
const privateCookie = `${cookieName(privateSlug, false)}=${sealGrant(
  privateSlug,
  createSecretKey(privateKey),
  grantOf("p", Date.now()),
)}`;

type Fake = Awaited<ReturnType<typeof startFakeSystem>>;
const measureMs = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 10_000;
const scenarios: Record<string, () => Promise<Figure[]>> = {
  crowd: () => besideFakes(async (gateway) => [await sizeOfPage(gateway), ...(await crowd(gateway, measureMs))]),
  pages: async () => [
    await besideFakes((gateway) => privateVisitor(gateway, pagePath(privateSlug), privateCookie, measureMs)),
    await renderPages(),
  ],
  streams: () => besideFakes((gateway, system) => publicStreams(gateway, system, services, measureMs)),
  page: () => pageOfDemo(services),
  live: () => liveChanges(),
};

const chosen = process.argv.slice(2).filter((name) => name in scenarios);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(scenarios)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  figures.push(...(await measure()));
}
await reportFigures("status", figures);
process.exit(0);

async function sizeOfPage({ port }: Watched): Promise<Figure> {
  const [gzip, brotli] = [
    await sizeOf(port, "/status", "text/html", "gzip"),
    await sizeOf(port, "/status", "text/html", "br"),
  ];
  const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  return {
    goal: "–",
    what: `HTML of ${services} services and 90 days`,
    wanted: `≤ ${kib(htmlBytes)} compressed`,
    measured: `${kib(gzip)} by gzip, ${kib(brotli)} by brotli`,
    held: gzip <= htmlBytes,
  };
}

/** The gateway as a process of its own over a bus that holds a snapshot; other services are stand-ins. */
async function besideFakes<Result>(measure: (gateway: Watched, system: Fake) => Promise<Result>): Promise<Result> {
  const nats = await startNats();
  const system = await startFakeSystem(nats.url);
  const kv = await system.bus.kv(buckets.status);
  const nowMs = Date.now();
  const [snapshot, states] = [snapshotOf(services, nowMs, nowMs), statesOf(services, nowMs, nowMs)];
  await kv.put(accessKey(privateSlug), JSON.stringify(privateAccess));
  for (const slug of [defaultSlug, privateSlug]) {
    await kv.put(statesKey(slug), gzipSync(JSON.stringify(states)));
    for (const { part, bytes } of await packDocuments({ snapshot, states, slug })) {
      await kv.put(documentsKey(slug, part), bytes);
    }
  }
  const gateway = await startWatched("gateway.ts", {
    NATS_URL: nats.url,
    GATEWAY_WAIT_SECONDS: "30",
    GATEWAY_MAX_PUBLIC_STREAMS_PER_ADDRESS: "2000",
  });
  try {
    for (let tries = 0; tries < 100 && !(await answers(gateway.port)); tries += 1) await sleep(50);
    return await measure(gateway, system);
  } finally {
    await gateway.stop();
    await system.stop();
    await nats.stop();
  }
}

async function answers(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/api/status`)).status === 200;
}
