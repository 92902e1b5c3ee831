import { startNats } from "@sonde/embedded/nats";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Bus, connectBus, publishFact } from "./connect.ts";
import { moveToDeadLetters } from "./dead-letters.ts";
import { pullDurable, type PulledMessage } from "./durable.ts";
import { followStream, type BusMessage } from "./follow.ts";
import type { Service } from "../service/lifecycle.ts";
import { silentLog } from "../service/log.ts";

let folder: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
const stream = streams.results.name;
const waiting = { timeout: 30_000, interval: 50 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-durable-"));
  nats = await startNats({ dataDir: folder });
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await bus.jsm.streams.purge(stream);
});

const publish = (text: string) => publishFact(bus, subjects.results(1, "default"), Buffer.from(text));
const textOf = ({ data }: PulledMessage) => Buffer.from(data).toString();

function pull(
  durable: string,
  onMessage: (message: PulledMessage) => void,
  room = async () => {},
  ackWaitMs = 1_000,
): Service {
  return pullDurable(bus, { stream, durable, room, onMessage, ackWaitMs });
}

test("stops immediately while opening its consumer", { timeout: 20_000 }, async () => {
  const stopped = Promise.withResolvers<void>();
  // Faster than a pull that waits for messages.
  const pulling = pull(
    "opening",
    () => {},
    async () => {
      setImmediate(() => pulling.stop().then(stopped.resolve, stopped.reject));
    },
  );
  await expect(stopped.promise).resolves.toBeUndefined();
});

test("unsettled messages are redelivered, rejected ones immediately, and acknowledged ones never", async () => {
  const seen: string[] = [];
  const pulling = pull("settling", (message) => {
    const again = seen.includes(textOf(message));
    seen.push(textOf(message));
    if (again || textOf(message) === "settled") message.ack();
    else if (textOf(message) === "given back") message.nak();
  });
  for (const text of ["settled", "given back", "forgotten"]) await publish(text);
  await vi.waitFor(async () => {
    const info = await bus.jsm.consumers.info(stream, "settling");
    expect(info.num_pending + info.num_ack_pending).toBe(0);
  }, waiting);
  await pulling.stop();
  expect(seen.toSorted()).toEqual(["forgotten", "forgotten", "given back", "given back", "settled"]);
});

test("two replicas of a durable consumer share its messages", async () => {
  const seen: string[] = [];
  const take = (message: PulledMessage) => {
    seen.push(textOf(message));
    message.ack();
  };
  const both = [pull("shared", take), pull("shared", take)];
  for (let number = 0; number < 50; number++) await publish(String(number));
  await vi.waitFor(() => expect(new Set(seen).size).toBe(50), waiting);
  await Promise.all(both.map((pulling) => pulling.stop()));
  expect(seen).toHaveLength(50);
});

test("nothing is pulled while there is no room", async () => {
  const opening = Promise.withResolvers<void>();
  const seen: string[] = [];
  const take = (message: PulledMessage) => {
    seen.push(textOf(message));
    message.ack();
  };
  const pulling = pull("roomy", take, () => opening.promise);
  await publish("patient");
  expect(await bus.jsm.consumers.info(stream, "roomy").catch(() => null)).toBeNull();
  expect(seen).toEqual([]);
  opening.resolve();
  await vi.waitFor(() => expect(seen).toEqual(["patient"]), waiting);
  await pulling.stop();
});

test("pulling continues on a recreated stream, and the consumer's settings can change", async () => {
  const seen: string[] = [];
  const take = (message: PulledMessage) => {
    seen.push(textOf(message));
    message.ack();
  };
  const first = pull("lasting", take);
  await publish("before");
  await vi.waitFor(() => expect(seen).toEqual(["before"]), waiting);
  await bus.jsm.streams.delete(stream);
  await publish("after");
  await vi.waitFor(() => expect(seen).toEqual(["before", "after"]), waiting);
  await first.stop();
  const second = pull("lasting", take, async () => {}, 7_000);
  await publish("later");
  await vi.waitFor(() => expect(seen).toEqual(["before", "after", "later"]), waiting);
  expect((await bus.jsm.consumers.info(stream, "lasting")).config.ack_wait).toBe(7_000_000_000);
  await second.stop();
});

/** Reads new messages of the stream. */
function lettersOf(): { letters: BusMessage[]; stop: () => Promise<void> } {
  const letters: BusMessage[] = [];
  const onMessage = (message: BusMessage) => void letters.push(message);
  const following = followStream(bus, { stream: streams.deadLetters.name, from: "first", onMessage });
  return { letters, stop: following.stop };
}

test("a dead letter too large with its headers is cut, and says so", async () => {
  const { letters, stop } = lettersOf();
  const bytes = bus.nc.info?.max_payload ?? 0;
  const message = { subject: subjects.results(2, "default"), sequence: 7, data: new Uint8Array(bytes).fill(5) };
  await moveToDeadLetters(bus, { stream, service: "test", reason: "too many of them", message });
  const cut = () => letters.find((letter) => letter.header("Sonde-Subject") === message.subject);
  await vi.waitFor(() => expect(cut()?.header("Sonde-Cut-From-Bytes")).toBe(String(bytes)), waiting);
  expect(cut()?.data.length).toBeGreaterThan(bytes / 2);
  await stop();
});

test("a dead letter has the original message, its position and the reason", async () => {
  const { letters, stop } = lettersOf();
  const first = () => letters.filter((letter) => letter.header("Sonde-Subject") === subjects.results(1, "default"));
  const message = { subject: subjects.results(1, "default"), sequence: 12, data: new Uint8Array([1, 2, 3]) };
  await moveToDeadLetters(bus, { stream, service: "test", reason: "línes\r\nand more", message });
  await vi.waitFor(() => expect(first()).toHaveLength(1), waiting);
  await stop();
  const [letter] = first();
  expect([...(letter?.data ?? [])]).toEqual([1, 2, 3]);
  const names = ["Sonde-Reason", "Sonde-Service", "Sonde-Subject", "Sonde-Sequence"];
  expect(names.map((name) => letter?.header(name))).toEqual([
    "l?nes??and more",
    "test",
    subjects.results(1, "default"),
    "12",
  ]);
});
