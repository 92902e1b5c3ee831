import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type Log, silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import type { PageStates } from "@sonde/proto/http/status/snapshot";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test, vi } from "vitest";
import { openStatusBucket } from "../testing/status-bucket.ts";
import { startWipeableNats, type WipeableNats } from "../testing/wipeable-nats.ts";
import { type StatusView, watchStatus, type WatchedPages } from "./view.ts";

type Bucket = Awaited<ReturnType<typeof openStatusBucket>>;

let nats: WipeableNats;
let bucket: Bucket;
let bus: Bus;
let pages: WatchedPages;
let view: StatusView;
let revision = 0;
const log = { ...silentLog, error: vi.fn() } as unknown as Log;

beforeAll(async () => {
  nats = await startWipeableNats();
  bucket = await openStatusBucket(nats.url);
  bus = await connectBus({ url: nats.url, name: "view", log: silentLog, shrink: 64 });
});
afterAll(async () => {
  await bus?.close();
  await bucket?.stop();
  await nats?.stop();
});
beforeEach(async () => {
  await putPage("First");
  await putStates("up");
  pages = watchStatus({ bus, clock: systemClock, log });
  await pages.current;
  view = pages.page("default")!;
});
afterEach(() => pages.stop());

const putPage = (title: string) => bucket.putPage({ ...fakeSnapshot, page: { ...fakeSnapshot.page, title } });
const putStates = (status: PageStates["monitors"][string]["status"]) =>
  bucket.putStates({ ...fakeStates, revision: ++revision, monitors: { 7: { status, sinceMs: fakeStates.atMs } } });
const json = () => (JSON.parse(view.document("json")!.bytes.toString()) as { status: { title: string } }).status;
const until = (holds: () => boolean) => vi.waitFor(() => expect(holds()).toBe(true), 30_000);

describe("the view of public pages", () => {
  test("has what the bucket contained at the start", () => {
    expect(view.published()).toMatchObject({
      summary: { monitors: [7] },
      states: { monitors: { 7: { status: "up" } } },
    });
    expect(json().title).toBe("First");
    expect(view.document("page.en-US")!.bytes.toString()).toContain("<h1>First</h1>");
    expect(view.document("badge.status.7.zh-CN")!.bytes.toString()).toMatch(/^<svg/);
    expect(view.document("incident.p5.en-US")).toBeNull();
  });

  test("follows changes", async () => {
    const changes: string[] = [];
    view.onChange(({ states }, before) =>
      changes.push(`${before?.states.monitors[7]?.status} ${states.monitors[7]?.status}`),
    );
    await putPage("Second");
    await until(() => json().title === "Second");
    await putStates("down");
    await until(() => view.published()!.states.monitors[7]?.status === "down");
    expect(changes).toEqual(["up up", "up down"]);
  });

  test.each([
    ["no Brotli", Buffer.from("no Brotli")],
    ["no JSON", brotliCompressSync("{\n")],
    ["another shape", brotliCompressSync('{"documents":"x"}\n')],
    ["less than it announces", brotliCompressSync('{"documents":[{"name":"json","etag":"","sizeBytes":5}]}\n{}')],
    ["a bomb", brotliCompressSync(Buffer.alloc(70 * 2 ** 20))],
  ])("keeps its data and logs an error if a part is %s", async (_name, value) => {
    vi.mocked(log.error).mockClear();
    await bucket.putRaw("json", value);
    await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(1), 30_000);
    expect(json().title).toBe("First");
    await putPage("Mended");
    await until(() => json().title === "Mended");
  });

  test.each([
    ["no gzip", Buffer.from("no gzip")],
    ["another shape", gzipSync('{"revision":1,"monitors":"x"}')],
    ["a bomb", gzipSync("x".repeat(20 * 2 ** 20))],
  ])("keeps its states if it reads %s", async (_name, value) => {
    vi.mocked(log.error).mockClear();
    await bucket.putRaw("states", value);
    await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(1), 30_000);
    expect(view.published()).toMatchObject({ states: { revision } });
  });
});

test("the view keeps its data after the bus lost everything, and accepts new values", async () => {
  const back = new Promise<void>((resolve) => void bucket.bus.onReconnect(resolve));
  await nats.wipe();
  await back;
  expect(json().title).toBe("First");
  await putPage("Again");
  await until(() => json().title === "Again");
});
