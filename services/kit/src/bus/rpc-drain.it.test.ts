import { authContract } from "@sonde/proto/rpc/auth";
import { setImmediate as turn } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import { silentLog } from "../service/log.ts";
import { connectBus } from "./connect.ts";
import { client, serve } from "./rpc.ts";

const url = inject("natsUrl");
const open = () => connectBus({ url, name: "test", log: silentLog, streams: [], buckets: [] });

/** A replica that responds with its number after a few turns, and stops first its calls, then its bus. */
async function replica(number: number) {
  const bus = await open();
  const answered: number[] = [];
  const getUser = async ({ id }: { id: number }) => {
    for (let turns = 0; turns < 20; turns++) await turn();
    answered.push(id);
    return { id, username: String(number), role: "user", status: "active", createdAt: "2026-01-31T12:00:00.000Z" };
  };
  const served = await serve(bus, authContract, { getUser } as never, { scope: "drain" });
  return { answered, stop: async () => (await served.stop(), bus.close()) };
}

test("no call fails while replicas are replaced: a leaving replica answers the calls it received", async () => {
  const caller = await open();
  const auth = client(caller, authContract, { scope: "drain", timeoutMs: 60_000 });
  const replicas = [await replica(0)];
  let leaving = 0;
  let id = 0;
  const lane = async () => {
    while (leaving < 5) expect((await auth.getUser({ id: ++id })).id).toBeGreaterThan(0);
  };
  const lanes = Promise.all(Array.from({ length: 20 }, lane));
  for (; leaving < 5; leaving++) {
    const next = await replica(leaving + 1);
    replicas.push(next);
    while (next.answered.length === 0) await turn();
    await replicas[leaving]?.stop();
  }
  await lanes;
  expect(replicas.flatMap(({ answered }) => answered)).toHaveLength(id);
  await replicas[leaving]?.stop();
  await caller.close();
});
