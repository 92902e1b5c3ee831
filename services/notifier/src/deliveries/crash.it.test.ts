import type { Database } from "@sonde/kit/postgres/database";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { createEgress } from "@sonde/kit/egress/requests";
import { type DeliveringBed, delivered, openBed, testChannel } from "../testing/delivering.ts";
import { queueMails } from "../mails/queue.ts";
import { mailContent, postTo } from "../testing/post-channel.ts";
import { openTables, uniqueSchema } from "../testing/rows.ts";
import { leaseMs } from "./delivery-context.ts";
import { createSending } from "./sender.ts";

const schema = uniqueSchema();
let db: Database;
let provider: Server;
let url = "";
let keys: string[] = [];
let onRequest: (response: ServerResponse) => void = (response) => response.end();
beforeAll(async () => {
  db = await openTables(schema);
  provider = createServer((request, response) => {
    keys.push(String(request.headers["key"]));
    request.resume().on("end", () => onRequest(response));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await db.destroy();
});
beforeEach(async () => {
  await db("messages").update({ status: "failed" }).where({ status: "pending" });
  keys = [];
});

const startProcess = (dies: "before" | "after" | "never"): ChildProcess =>
  spawn(process.execPath, [new URL("../testing/sender-process.ts", import.meta.url).pathname], {
    env: { ...process.env, SCHEMA: schema, DATABASE_URL: inject("databaseUrl"), DIES: dies },
    stdio: "inherit",
  });

function another(): DeliveringBed {
  const guard = createGuard();
  const egress = createEgress({ guard, resolver: createResolver() });
  const bed = openBed(db, postTo(), { egress, mailOf: async () => mailContent });
  bed.clock.step(Date.now() - bed.clock.now());
  return bed;
}
const withServer = { config: () => JSON.stringify({ serverUrl: url, topic: "t" }) };

test.each<["before" | "after"]>([["before"], ["after"]])(
  "if a sender is killed %s it reads the provider's 200, another sends the message under the same key",
  async (dies) => {
    const bed = another();
    const id = await bed.alert(await bed.addChannel("t", { config: withServer.config() }), {
      monitor: dies === "before" ? 1 : 2,
    });
    const child = startProcess(dies);
    const dead = once(child, "exit");
    onRequest = (response) => (dies === "before" ? void child.kill("SIGKILL") : void response.end());
    await dead;
    expect(keys).toHaveLength(1);
    onRequest = (response) => void response.end();
    await bed.run();
    // The first attempt still counts as in progress.
    expect(keys).toHaveLength(1);
    // The lease follows the system clock, and started some time after the bed's clock.
    bed.clock.step(Date.now() - bed.clock.now() + leaseMs + 5_000);
    await bed.run();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await bed.statusOf(id)).toBe("delivered");
    expect(await bed.attemptsOf(id)).toMatchObject([
      { number: 1, endedAtMs: null },
      { number: 2, statusCode: 200 },
    ]);
    await bed.run();
    expect(keys).toHaveLength(2);
  },
);

test.each<["before" | "after"]>([["before"], ["after"]])(
  "if a sender is killed %s it reads the provider's 200, another sends a subscriber's mail under the same key",
  async (dies) => {
    const bed = another();
    const channelId = await bed.addChannel("t", { config: withServer.config() });
    const key = randomUUID();
    const givesUpAtMs = Date.now() + 3_600_000;
    const queue = () =>
      queueMails(
        { db, clock: bed.clock, due: () => {} },
        { channelId, mails: [{ key, kind: "update", rank: 0, givesUpAtMs }] },
      );
    await queue();
    const child = startProcess(dies);
    const dead = once(child, "exit");
    onRequest = (response) => (dies === "before" ? void child.kill("SIGKILL") : void response.end());
    await dead;
    expect(keys).toEqual([key]);
    onRequest = (response) => void response.end();
    await queue();
    await bed.run();
    expect(keys).toEqual([key]);
    bed.clock.step(Date.now() - bed.clock.now() + leaseMs + 5_000);
    await bed.run();
    expect(keys).toEqual([key, key]);
    expect(await db("messages").where({ key })).toMatchObject([{ status: "delivered", attempts: 2 }]);
    // Status-page queues it again, because it was killed too.
    await queue();
    await bed.run();
    expect(keys).toHaveLength(2);
  },
);

test("a sender that is killed while nothing is in flight loses nothing", async () => {
  onRequest = (response) => void response.end();
  const bed = another();
  const channelId = await bed.addChannel("t", { config: withServer.config() });
  const first = startProcess("never");
  await bed.alert(channelId, { monitor: 3 });
  await expect.poll(() => keys.length).toBe(1);
  await expect.poll(() => db("messages").where({ status: "pending" }).first()).toBeUndefined();
  const dead = once(first, "exit");
  first.kill("SIGKILL");
  await dead;
  await bed.alert(channelId, { monitor: 4 });
  await bed.run();
  expect(new Set(keys).size).toBe(2);
  expect(keys).toHaveLength(2);
});

test("a sender suspended until its lease expired sends nothing more", async () => {
  const sent: string[] = [];
  let thaw = () => {};
  const frozen = new Promise<void>((resolve) => (thaw = resolve));
  const bed = openBed(
    db,
    testChannel(({ body }) => {
      sent.push(body);
      return delivered;
    }),
  );
  const id = await bed.alert(await bed.addChannel("frozen"), { monitor: 5 });
  // Suspends the sender after it claimed and rendered the message, before it sends.
  const suspendedSender = createSending({ ...bed.deps, db: delayedDatabase(db, () => frozen) }, () => {});
  await suspendedSender.checkQueues();
  bed.clock.advance(leaseMs + 1);
  await bed.run();
  expect(sent).toEqual(["down 5"]);
  thaw();
  await suspendedSender.idle();
  expect(sent).toEqual(["down 5"]);
  expect(await bed.statusOf(id)).toBe("delivered");
});

test("an outcome that another sender already recorded is recorded once", async () => {
  const answers: (() => void)[] = [];
  const bed = openBed(
    db,
    testChannel(() => new Promise((resolve) => answers.push(() => resolve(delivered)))),
  );
  const id = await bed.alert(await bed.addChannel("twice"), { monitor: 6 });
  const slow = createSending(bed.deps, () => {});
  await slow.checkQueues();
  await expect.poll(() => answers.length).toBe(1);
  bed.clock.advance(leaseMs + 1);
  await bed.sending.checkQueues();
  await expect.poll(() => answers.length).toBe(2);
  // The provider accepted the slow one, which is true although another sender has the lease.
  answers[0]?.();
  await slow.idle();
  expect(await bed.statusOf(id)).toBe("delivered");
  answers[1]?.();
  await bed.sending.idle();
  expect(bed.changed.filter(({ status }) => status === "delivered")).toHaveLength(1);
});

function delayedDatabase(given: Database, until: () => Promise<void>): Database {
  return new Proxy(given, {
    get: (target, name, receiver) =>
      name === "raw"
        ? async (sql: string, bindings: []) => {
            if (sql.includes("set body")) await until();
            return target.raw(sql, bindings);
          }
        : Reflect.get(target, name, receiver),
  });
}
