import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type Log, silentLog } from "@sonde/kit/service/log";
import type { PageStates } from "@sonde/proto/http/status-snapshot";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test, vi } from "vitest";
import { gzipped } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "../testing/fake-status-page.ts";
import { openStatusBucket } from "../testing/status-bucket.ts";
import { startWipeableNats, type WipeableNats } from "../testing/wipeable-nats.ts";
import { createMaker, type Maker } from "./maker.ts";
import { type Known, type WatchedView, watchStatus } from "./view.ts";

type Bucket = Awaited<ReturnType<typeof openStatusBucket>>;

let nats: WipeableNats;
let bucket: Bucket;
let bus: Bus;
let maker: Maker;
let view: WatchedView;
let revision = 0;
const log = { ...silentLog, error: vi.fn() } as unknown as Log;

beforeAll(async () => {
  nats = await startWipeableNats();
  bucket = await openStatusBucket(nats.url);
  bus = await connectBus({ url: nats.url, name: "view", log: silentLog, shrink: 64 });
  maker = createMaker();
});
afterAll(async () => {
  maker?.stop();
  await bus?.close();
  await bucket?.stop();
  await nats?.stop();
});
beforeEach(async () => {
  await putPage("First");
  await putStates("up");
  view = watchStatus({ bus, log, maker });
  await view.current;
});
afterEach(() => view.stop());

const putPage = (title: string) => {
  revision += 1;
  return bucket.putPage({ ...fakeSnapshot, revision, page: { ...fakeSnapshot.page, title } });
};
const putStates = (status: PageStates["monitors"][string]["status"]) => {
  revision += 1;
  return bucket.putStates({ ...fakeStates, revision, monitors: { 7: { status, sinceMs: fakeStates.atMs } } });
};
const until = (holds: (known: Known) => boolean) => vi.waitFor(() => expect(holds(view.known()!)).toBe(true), 30_000);

describe("the view of the public page", () => {
  test("knows what the bucket held when it began", () => {
    expect(view.known()).toMatchObject({
      summary: { page: { title: "First" }, monitors: [7] },
      states: { monitors: { 7: { status: "up" } } },
    });
  });

  test("follows what is written", async () => {
    const told: string[] = [];
    view.onChange(({ summary, states }) => told.push(`${summary.page.title} ${states.monitors[7]?.status}`));
    await putPage("Second");
    await until(({ summary }) => summary.page.title === "Second");
    await putStates("down");
    await until(({ states }) => states.monitors[7]?.status === "down");
    expect(told).toEqual(["Second up", "Second down"]);
  });

  test.each([
    ["no gzip", Buffer.from("no gzip")],
    ["no JSON", gzipped("").subarray(0, 10)],
    ["another shape", gzipped({ revision: 1e15, monitors: "x" })],
    ["a bomb", gzipped("x".repeat(20 * 2 ** 20))],
  ])("keeps what it knew where it reads %s, and says so in the log", async (_name, value) => {
    for (const which of ["page", "states"] as const) {
      vi.mocked(log.error).mockClear();
      await bucket.putRaw(which, value);
      await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(1), 30_000);
    }
    expect(view.known()).toMatchObject({ summary: { page: { title: "First" } }, states: { revision } });
    await putPage("Mended");
    await until(({ summary }) => summary.page.title === "Mended");
  });

  test("does not go back to an older revision", async () => {
    await bucket.putPage({ ...fakeSnapshot, revision: 1, page: { ...fakeSnapshot.page, title: "Old" } });
    await bucket.putStates({ ...fakeStates, revision: 1, monitors: {} });
    const titles: string[] = [];
    view.onChange(({ summary }) => titles.push(summary.page.title));
    await putPage("New");
    await until(({ summary }) => summary.page.title === "New");
    expect(titles).toEqual(["New"]);
    expect(view.known()?.states.monitors).toHaveProperty("7");
  });

  test("drops keys that the schema does not know", async () => {
    revision += 1;
    const page = { ...fakeSnapshot.page, title: "Secretive", url: "canary" };
    await bucket.putRaw("page", gzipped({ ...fakeSnapshot, revision, page, cause: "canary" }));
    await until(({ summary }) => summary.page.title === "Secretive");
    expect(JSON.stringify(view.known()!.summary)).not.toContain("canary");
    const { made } = await maker.make({
      page: view.known()!.page,
      states: view.known()!.states,
      wanted: { kind: "json" },
      around: { publicUrl: null, assets: { script: null, style: null }, nowMs: 0 },
    });
    expect(Buffer.from(made!.bytes).toString()).toContain("Secretive");
    expect(Buffer.from(made!.bytes).toString()).not.toContain("canary");
  });
});

test("a bus that lost all it held takes nothing away, and what is written to it anew counts whatever its revision", async () => {
  const back = new Promise<void>((resolve) => void bucket.bus.onReconnect(resolve));
  await nats.wipe();
  await back;
  expect(view.known()?.summary.page.title).toBe("First");
  await bucket.putPage({ ...fakeSnapshot, revision: 1, page: { ...fakeSnapshot.page, title: "Anew" } });
  await until(({ summary }) => summary.page.title === "Anew");
});
