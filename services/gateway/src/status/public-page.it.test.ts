import { createStreamCount } from "../events/broadcast.ts";
import { connectBus } from "@sonde/kit/bus/connect";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { openStatusBucket } from "../testing/status-bucket.ts";
import { openPublicStream } from "../testing/stream-reader.ts";
import { startTestApp } from "../testing/test-app.ts";
import { createStatusStreams } from "./streams.ts";
import { watchStatus } from "./view.ts";

let dataDir: string;
let nats: EmbeddedServer;
const startBus = async () => (nats = await startNats({ dataDir, port: nats?.port }));

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-nats-"));
  await startBus();
  const bucket = await openStatusBucket(nats.url);
  await bucket.putPage(fakeSnapshot);
  await bucket.putStates(fakeStates);
  await bucket.stop();
});
afterAll(async () => {
  await nats?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const down = { 7: { status: "down", sinceMs: fakeStates.atMs } } as const;

test("a gateway serves a stored page without any other service, and keeps serving it without the bus", async () => {
  const gateway = await start(readConfig({ NATS_URL: nats.url, PORT: "0", LOG_LEVEL: "silent" }));
  const url = `http://127.0.0.1:${gateway.address.port}`;
  const ask = async (path: string) => {
    const response = await fetch(url + path);
    return [response.status, await response.text()] as const;
  };
  const [page, data] = [await ask("/status"), await ask("/api/status")];
  expect([page[0], data[0]]).toEqual([200, 200]);
  expect(page[1]).toContain("Example status");
  expect(JSON.parse(data[1])).toMatchObject({ status: { state: "operational", monitors: [{ name: "Shop" }] } });

  const stream = await openPublicStream(url);
  expect(await stream.next()).toMatchObject({ event: "status", data: { state: "operational" } });
  await nats.stop();
  for (const path of ["/status", "/api/status", "/status/history", "/api/status/feed.atom", "/status?lang=en-US"]) {
    expect((await ask(path))[0], path).toBe(200);
  }
  expect((await ask("/status/incidents/p1"))[0]).toBe(404);

  // The stream that stayed open receives what is written after the bus is back.
  await startBus();
  const bucket = await openStatusBucket(nats.url);
  await bucket.putStates({ ...fakeStates, revision: 2, monitors: down });
  expect(await stream.next()).toMatchObject({ event: "monitor", data: { id: 7, status: "down" } });
  stream.close();
  await bucket.stop();
  await gateway.stop();
});

test("three minutes after the bus stopped, page and streams are marked as outdated", async () => {
  const clock = fakeClock(fakeStates.atMs);
  const bus = await connectBus({ url: nats.url, name: "gateway", log: silentLog, shrink: 64 });
  const pages = watchStatus({ bus, clock, log: silentLog });
  await pages.current;
  const streams = createStatusStreams({ clock, streams: createStreamCount(10), maxPerAddress: 50 });
  const app = await startTestApp({ status: { pages, streams }, clock });
  const stream = await openPublicStream(app.url);
  expect(await stream.next()).toMatchObject({ event: "status", data: { outdated: false } });
  await nats.stop();
  clock.advance(180_000);
  expect((await app.ask("GET", "/api/status")).body).toMatchObject({ status: { outdated: false } });
  clock.advance(5000);
  expect((await app.ask("GET", "/api/status")).body).toMatchObject({ status: { outdated: true } });
  expect(await stream.next()).toMatchObject({ event: "status", data: { outdated: true } });
  stream.close();
  await app.stop();
  await pages.stop();
  await bus.close();
});
