import { deriveKeys } from "@sonde/kit/secret-keys";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { client, type Handlers, serve } from "@sonde/kit/bus/rpc";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { openDatabase } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { silentLog } from "@sonde/kit/service/log";
import { start as startGateway } from "@sonde/gateway";
import { readConfig as readGateway } from "@sonde/gateway/config";
import { start as startNotifier } from "@sonde/notifier";
import { readConfig as readNotifier } from "@sonde/notifier/config";
import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { statusContract } from "@sonde/proto/rpc/status";
import { start as startStatusPage } from "@sonde/status-page";
import { readConfig as readStatusPage } from "@sonde/status-page/config";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";

const secretKey = randomBytes(32).toString("base64");
const publicUrl = "https://status.example.com";
const unique = (name: string) => `${name}_${randomUUID().replace(/[^a-f]/g, "")}`;
const schemas = { notifier: unique("notifier"), status: unique("status") };

let nats: EmbeddedServer;
let bus: Bus;
let provider: StandIn<"resend">;
let gatewayUrl = "";
let db: Awaited<ReturnType<typeof openDatabase>>;
const running: Service[] = [];
let notifier: Service;
let queue: typeof db;
const environment = () => ({
  NATS_URL: nats.url,
  DATABASE_URL: inject("databaseUrl"),
  SONDE_LOCAL: "1",
  ...deriveKeys(secretKey),
  LOG_LEVEL: "silent",
  HOST: "127.0.0.1",
});
const startSender = async () => {
  notifier = await startNotifier(readNotifier(environment()), schemas.notifier);
};
const page = () => client(bus, statusContract);

async function serveTargets(): Promise<void> {
  const at = new Date().toISOString();
  const monitorOf = (id: number): KnownMonitor => ({
    id,
    name: `canary-monitor-${id}`,
    type: "tcp",
    host: "db",
    port: 5432,
    target: "tcp://db:5432",
    interval: 1,
    timeout: 10,
    recoverAfter: 1,
    slow: false,
    retries: 1,
    tags: [],
    locations: [],
    paused: false,
    dependsOn: [],
    note: "",
    keepBody: true,
    invert: false,
    description: "",
    status: "up",
    statusSince: at,
    responseTime: null,
    lastCheckedAt: null,
    nextCheckAt: null,
    stale: false,
    flapping: false,
    createdAt: at,
    updatedAt: at,
  });
  const listMonitors: Handlers<typeof monitorsContract>["listMonitors"] = async ({ ids = [] }) => ({
    monitors: ids.map(monitorOf),
    total: ids.length,
    restIds: [],
  });
  const times = { statusSince: at, lastSeen: at, createdAt: at, updatedAt: at };
  const host = { hostname: "h", ipAddresses: [], os: "", version: "", uptime: null, interval: 10, dependsOn: [] };
  const agent = { ...host, ...times, status: "online" as const };
  const listAgents: Handlers<typeof agentsContract>["listAgents"] = async ({ ids }) => ({
    agents: ids.map((id) => ({ ...agent, id, name: `canary-agent-${id}` })),
    total: ids.length,
    restIds: [],
  });
  running.push(await serve(bus, monitorsContract, { listMonitors } as Handlers<typeof monitorsContract>));
  running.push(await serve(bus, agentsContract, { listAgents } as Handlers<typeof agentsContract>));
}

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog });
  provider = await startStandIn("resend", { enforceLimits: true });
  await serveTargets();
  await startSender();
  running.unshift(await startStatusPage(readStatusPage({ ...environment(), PUBLIC_URL: publicUrl }), schemas.status));
  const gateway = await startGateway(
    readGateway({ NATS_URL: nats.url, PORT: "0", LOG_LEVEL: "silent", GATEWAY_WAIT_SECONDS: "0" }),
  );
  running.unshift(gateway);
  gatewayUrl = `http://127.0.0.1:${gateway.address.port}`;
  const open = (schema: string) => openDatabase({ url: inject("databaseUrl"), schema, migrations: {}, log: silentLog });
  db = await open(schemas.status);
  queue = await open(schemas.notifier);
  const channel = await client(bus, notificationsContract).createChannel({
    name: "mails",
    type: "resend",
    enabled: true,
    config: provider.config,
  });
  const config = {
    title: "Example status",
    monitors: [1],
    names: [{ type: "monitor" as const, id: 1, name: "Shop" }],
    subscriptions: { enabled: true, channelId: channel.id },
  };
  await page().updateConfig(config);
});
afterAll(async () => {
  await provider?.stop();
  for (const service of [...running, notifier]) await service?.stop();
  await db?.destroy();
  await queue?.destroy();
  await bus?.close();
  await nats?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.accepted.length = 0;
});

type Mail = { to: string[]; subject: string; text: string; html: string; headers: Record<string, string> };
const mails = () => provider.accepted.map(({ json }) => json as Mail);
const patient = { timeout: 30_000, interval: 50 };
const mailed = async (count: number) => {
  await expect.poll(() => provider.accepted.length, patient).toBe(count);
};
const status = async () =>
  (await queue("messages").where({ mail_kind: "update" }).orderBy("id", "desc").first<{ status: string }>()).status;
const follow = (url: string, method: "GET" | "POST", body?: string) => {
  expect(url.startsWith(`${publicUrl}/status/`)).toBe(true);
  return fetch(url.replace(publicUrl, gatewayUrl), {
    method,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/x-www-form-urlencoded" } }),
  });
};
const subscribe = async (email: string): Promise<void> => {
  const body = new URLSearchParams({ email, lang: "en-US", services: "monitor:1" }).toString();
  expect((await follow(`${publicUrl}/status/subscribe`, "POST", body)).status).toBe(200);
  await expect.poll(() => mails().some(({ to }) => to[0] === email), patient).toBe(true);
  const link = /https:\S+\/status\/confirm\S+/.exec(mails().find(({ to }) => to[0] === email)?.text ?? "")?.[0] ?? "";
  await follow(link, "GET");
  expect(await db("subscribers").where({ email }).whereNull("confirmed_at_ms")).toHaveLength(1);
  const token = new URL(link).searchParams.get("token") ?? "";
  expect((await follow(`${publicUrl}/status/confirm`, "POST", `token=${token}`)).status).toBe(200);
  provider.accepted.length = 0;
  provider.requests.length = 0;
};
const announce = (title: string) =>
  page().createAnnouncement({
    title,
    impact: "major",
    state: "investigating",
    text: "We are **looking**.",
    monitors: [1, 2],
    agents: [3],
  });

test("a subscriber gets one mail per update without private data, and can unsubscribe with one click", async () => {
  await subscribe("reader@example.com");
  const { id } = await announce("Payments fail");
  await mailed(1);
  const [mail] = mails();
  expect(mail).toMatchObject({
    to: ["reader@example.com"],
    subject: "[Example status] Payments fail: Investigating",
    headers: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated" },
  });
  expect(mail?.text).toContain("Affected: Shop\n");
  expect(mail?.text).toContain(`${publicUrl}/status/incidents/p${id}`);
  expect(JSON.stringify(mails())).not.toContain("canary");

  const url = /^<(\S+)>$/.exec(mail?.headers["List-Unsubscribe"] ?? "")?.[1] ?? "";
  expect((await follow(url, "GET")).status).not.toBe(404);
  expect(await db("subscribers")).toHaveLength(1);
  expect((await follow(url, "POST", "List-Unsubscribe=One-Click")).status).toBe(200);
  expect(await db("subscribers")).toHaveLength(0);
  await page().addAnnouncementUpdate({ id, state: "resolved", text: "It works again." });
  await subscribe("other@example.com");
  expect(await db("mails").where({ rank: 1 })).toEqual([]);
  expect((await follow(url, "POST", "List-Unsubscribe=One-Click")).status).toBe(200);
  await db("subscribers").delete();
});

test("a throttled mail is sent later, once", async () => {
  await subscribe("reader@example.com");
  provider.answerNext("throttle");
  await announce("Search is slow");
  await mailed(1);
  await expect.poll(status, patient).toBe("delivered");
  const about = provider.requests.filter(({ text }) => text.includes("Search is slow"));
  expect(new Set(about.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(about).toHaveLength(2);
  await db("subscribers").delete();
});

test("if a sender is killed before the response, the next one sends the mail with the same idempotency key", async ({
  onTestFinished,
}) => {
  await subscribe("reader@example.com");
  await notifier.stop();
  const child = startProcess();
  onTestFinished(() => void child.kill("SIGKILL"));
  const dead = once(child, "exit");
  const isRunning = () =>
    client(bus, notificationsContract)
      .listChannels({}, { timeoutMs: 1000 })
      .then(
        () => true,
        () => false,
      );
  await expect.poll(isRunning, patient).toBe(true);
  provider.answerNext("hang");
  const request = provider.next();
  await announce("Mail is late");
  await request;
  child.kill("SIGKILL");
  await dead;
  expect(await status()).toBe("pending");
  await queue("messages").where({ status: "pending" }).update({ lease_until_ms: 0 });
  await startSender();
  await mailed(1);
  await expect.poll(status, patient).toBe("delivered");
  expect(new Set(provider.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(provider.requests).toHaveLength(2);
});

function startProcess(): ChildProcess {
  const start = `
    import { start } from "@sonde/notifier";
    import { readConfig } from "@sonde/notifier/config";
    await start(readConfig(), ${JSON.stringify(schemas.notifier)});`;
  return spawn(process.execPath, ["--input-type=module", "--eval", start], {
    env: { ...process.env, ...environment() },
    cwd: new URL("..", import.meta.url).pathname,
    stdio: "inherit",
  });
}
