import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { startNats } from "@sonde/embedded/nats";
import { AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AgentKeys, type Reporter, watchKeys } from "./keys.ts";
import { newSecret, secretHash } from "./store.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let keys: AgentKeys;
beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterEach(() => keys.stop());
afterAll(async () => {
  await bus.close();
  await nats.stop();
});

const watching = (find: () => Promise<Reporter | undefined>) =>
  (keys = watchKeys(bus, { onAgent: () => {}, find: () => find() }));

test("a key that the bus lost is still valid, because a rejected agent never retries", async () => {
  const reporter = { agentId: 7, intervalSeconds: 10 };
  await expect(watching(async () => reporter).check(newSecret())).resolves.toEqual(reporter);
});

test("a key that is in neither the bus nor the database is rejected", async () => {
  await expect(watching(async () => undefined).check(newSecret())).rejects.toMatchObject({ code: "unauthenticated" });
});

test("while the database is unavailable, unknown keys must retry", async () => {
  const away = watching(() => Promise.reject(new Error("away")));
  await expect(away.check(newSecret())).rejects.toMatchObject({ code: "unavailable" });
});

test("a key with a tombstone on the bus is rejected, even if an older row exists", async () => {
  const key = newSecret();
  const tombstone = create(AgentKeySchema, { agentId: 7, revision: 2, deleted: true });
  await (await bus.kv(buckets.agents)).put(secretHash(key), toBinary(AgentKeySchema, tombstone));
  const found = watching(async () => ({ agentId: 7, intervalSeconds: 10 }));
  await expect(found.check(key)).rejects.toMatchObject({ code: "unauthenticated" });
});
