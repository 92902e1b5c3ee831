import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { CheckResultSchema, type ResultBatch, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { describe, expect, it } from "vitest";
import { createResultPublisher } from "./publisher.ts";

function setUp({ maxBufferBytes = 32 * 1024 * 1024, maxBytes = 256 * 1024 } = {}) {
  const clock = fakeClock();
  const bus = { mode: "stores" as "stores" | "refuses" | "waits", connected: true };
  const sent: { partition: number; ids: number[]; id: string; evidence: number }[] = [];
  const waiting: (() => void)[] = [];
  let dropped = 0;
  const publisher = createResultPublisher({
    clock,
    runner: "r",
    maxBufferBytes,
    connected: () => bus.connected,
    maxBytes: () => maxBytes,
    onDropped: (results) => (dropped += results),
    async send(partition, bytes, id) {
      const { results } = fromBinary(ResultBatchSchema, bytes);
      const ids = results.map(({ monitorId }) => monitorId);
      const evidence = results.filter((result) => result.evidence !== undefined).length;
      if (bus.mode === "refuses" || bytes.length > maxBytes) throw new Error("no");
      sent.push({ partition, ids, id, evidence });
      if (bus.mode === "waits") await new Promise<void>((resolve) => waiting.push(resolve));
    },
  });
  const add = (monitorId: number, urgent = false, more: MessageInitShape<typeof CheckResultSchema> = {}) =>
    publisher.add(create(CheckResultSchema, { ...more, monitorId }), urgent);
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { bus, sent, waiting, publisher, add, pass, settle, dropped: () => dropped };
}

describe("the publisher", () => {
  it("sends batches by partition every two seconds", async () => {
    const { sent, add, pass } = setUp();
    for (const id of [1, 2, 17, 33]) add(id);
    await pass(1999);
    expect(sent).toEqual([]);
    await pass(1);
    expect(sent.map(({ partition, ids }) => [partition, ids])).toEqual([
      [1, [1, 17, 33]],
      [2, [2]],
    ]);
  });

  it("sends second opinions separately, so that readers that do not know them ignore them", async () => {
    const batches: ResultBatch[] = [];
    const clock = fakeClock();
    const publisher = createResultPublisher({
      clock,
      runner: "r",
      connected: () => true,
      maxBytes: () => 256 * 1024,
      send: async (_partition, bytes) => void batches.push(fromBinary(ResultBatchSchema, bytes)),
    });
    publisher.add(create(CheckResultSchema, { monitorId: 1 }), false);
    publisher.add(create(CheckResultSchema, { monitorId: 1, confirms: 7 }), true);
    expect(batches).toMatchObject([{ results: [{ monitorId: 1 }], opinions: [{ monitorId: 1, confirms: 7 }] }]);
    publisher.stop();
  });

  it("drops evidence when many results wait, so that it displaces none", async () => {
    const { bus, sent, publisher, add, pass, settle, dropped } = setUp({ maxBufferBytes: 40_000 });
    bus.connected = false;
    for (let id = 16; id < 16 * 50; id += 16) {
      add(id, false, { evidence: "x".repeat(4_000) });
      await pass(1000);
    }
    bus.connected = true;
    publisher.retry();
    for (let turn = 0; turn < 50; turn++) await settle();
    expect(dropped()).toBe(0);
    expect(sent.flatMap(({ ids }) => ids)).toHaveLength(49);
    const kept = sent.reduce((sum, { evidence }) => sum + evidence, 0);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(5);
  });

  it("sends at once when 256 wait", async () => {
    const { sent, add, settle } = setUp();
    for (let id = 1; id <= 256; id++) add(id);
    await settle();
    expect(sent.flatMap(({ ids }) => ids)).toHaveLength(256);
  });

  it("sends an urgent result at once, with everything else in its partition", async () => {
    const { sent, add, settle } = setUp();
    add(1);
    add(2);
    add(17, true);
    await settle();
    expect(sent).toMatchObject([{ partition: 1, ids: [1, 17] }]);
  });

  it("has one batch per partition in flight; an urgent one follows immediately", async () => {
    const { bus, sent, waiting, add, settle } = setUp();
    bus.mode = "waits";
    add(1, true);
    await settle();
    add(17, true);
    add(33);
    await settle();
    expect(sent).toHaveLength(1);
    waiting.shift()!();
    await settle();
    expect(sent.map(({ ids }) => ids)).toEqual([[1], [17, 33]]);
  });

  it("retries with the same id, in order, until the bus accepts it", async () => {
    const { bus, sent, add, pass } = setUp();
    bus.mode = "refuses";
    add(1, true);
    await pass(1100);
    add(17, true);
    await pass(5000);
    bus.mode = "stores";
    await pass(1000);
    expect(sent).toMatchObject([
      { ids: [1], id: "r.1" },
      { ids: [17], id: "r.2" },
    ]);
  });

  it("keeps results while the bus is disconnected, and sends them after a reconnect", async () => {
    const { bus, sent, publisher, add, pass, settle } = setUp();
    bus.connected = false;
    add(1);
    await pass(10_000);
    add(17);
    await pass(10_000);
    expect(sent).toEqual([]);
    bus.connected = true;
    publisher.retry();
    await settle();
    expect(sent.map(({ ids }) => ids)).toEqual([[1], [17]]);
  });

  it("drops the oldest when the buffer is full, and counts them", async () => {
    const { bus, sent, publisher, add, pass, settle, dropped } = setUp({ maxBufferBytes: 100 });
    bus.connected = false;
    for (let id = 1; id <= 100; id++) {
      add(id);
      await pass(1000);
    }
    expect(dropped()).toBeGreaterThan(50);
    bus.connected = true;
    publisher.retry();
    await settle();
    const kept = sent.flatMap(({ ids }) => ids).sort((left, right) => left - right);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 101 - kept.length + index));
    expect(kept.length + dropped()).toBe(100);
  });

  it("makes each batch as large as the bus accepts, whatever the size of results", async () => {
    const { sent, add, pass } = setUp({ maxBytes: 700 });
    const error = { kind: "assertion", message: "x".repeat(300) };
    for (let at = 0; at < 5; at++) add(16 * at + 1, false, { error });
    await pass(2000);
    expect(sent.map(({ ids }) => ids)).toEqual([[1, 17], [33, 49], [65]]);
  });

  it("drops a result that is too large or cannot be encoded, and sends the others", async () => {
    const { sent, add, pass, dropped } = setUp({ maxBytes: 1_000 });
    add(1);
    add(17, true, { runner: "x".repeat(2_000) });
    add(33, true, { attempt: 0.5 });
    add(49);
    await pass(1000);
    expect(sent.flatMap(({ ids }) => ids)).toEqual([1, 49]);
    expect(dropped()).toBe(2);
  });

  it("flushes everything, or gives up when its time is over", async () => {
    const { bus, sent, publisher, add, pass } = setUp();
    add(1);
    await publisher.flush(1000);
    expect(sent).toHaveLength(1);
    bus.connected = false;
    add(2);
    let ended = false;
    const flushing = publisher.flush(1000).then(() => (ended = true));
    await pass(900);
    expect(ended).toBe(false);
    await pass(200);
    await flushing;
    expect(sent).toHaveLength(1);
  });
});
