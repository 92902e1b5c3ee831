import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { streams } from "@sonde/proto/streams";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { makeStreams } from "./streams.ts";
import { startNats } from "@sonde/embedded/nats";

const none = { name: "test", log: silentLog, streams: [], buckets: [] };

test("makes the streams of a server that answers, and says nothing", async () => {
  const nats = await startNats();

  expect(await makeStreams(nats.url)).toBeUndefined();

  const bus = await connectBus({ ...none, url: nats.url });
  expect((await bus.jsm.streams.info(streams.results.name)).config.name).toBe(streams.results.name);
  await bus.close();
  await nats.stop();
});

test("lets results of the version before, and of each location, into the stream that it finds", async () => {
  const nats = await startNats();
  const bus = await connectBus({ ...none, url: nats.url });
  await bus.jsm.streams.add({ name: streams.results.name, subjects: ["results.*"] });
  await bus.js.publish("results.1", "unread");

  await makeStreams(nats.url);

  await bus.js.publish("results.1", "of a runner of the version before");
  await bus.js.publish("results.1.eu1", "of this one");
  expect((await bus.jsm.streams.info(streams.results.name)).state.messages).toBe(3);
  await bus.close();
  await nats.stop();
});

test.each(["a server that does not answer", "no server at all"])("npm run nats:streams gives up %s", async (what) => {
  const mute = createServer((socket) => socket.resume().on("error", () => {}));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as AddressInfo;
  if (what === "no server at all") mute.close();
  const program = join(import.meta.dirname, "../embedded/make-nats-streams.ts");

  const child = spawn(process.execPath, [program, `nats://127.0.0.1:${port}`, "1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);

  expect([code, said]).toEqual([1, expect.stringContaining("NATS did not respond to stream requests for 1 s.")]);
  mute.close();
});

test("says once that it gives up a server that does not answer", async () => {
  const asking = Promise.withResolvers<Socket>();
  const mute = createServer((socket) => asking.resolve(socket.resume().on("error", () => {})));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));

  expect(await makeStreams(`nats://127.0.0.1:${(mute.address() as AddressInfo).port}`, 500)).toBe(
    "NATS did not respond to stream requests for 0.5 s: streams keep their current limits.",
  );
  (await asking.promise).destroy();
  mute.close();
});
