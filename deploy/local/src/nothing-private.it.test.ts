import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { openPublicStream } from "@sonde/gateway/testing/stream-reader";
import { connectBus } from "@sonde/kit/bus/connect";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { freePort } from "@sonde/embedded/free-port";
import { silentLog } from "@sonde/kit/service/log";
import { documentParts, documentsKey } from "@sonde/proto/http/status/documents";
import { defaultSlug, pageKey, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { compiled } from "./testing/compiled.ts";

// Searches all public output of `npm start` for texts in its private fields. The tests depend on each other.

let folder: string;
let nats: EmbeddedServer;
let sonde: ChildProcess;
let target: Server;
let url: string;
let token: string | null = null;
const ids = { shop: 0, cart: 0, hidden: 0, agent: 0, hiddenAgent: 0, announcement: 0 };

type Json = Record<string, unknown>;

const planted: string[] = [];
function canary(where: string): string {
  const text = `canary-${where}`;
  planted.push(text);
  return text;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-private-"));
  await chmod(folder, 0o755);
  nats = await startNats();
  target = createServer((_, response) => {
    response.writeHead(500, { "x-answer": "canary-answer-header" }).end("canary-answer-body");
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  await startSonde();
});
afterAll(async () => {
  if (sonde?.exitCode === null && sonde.signalCode === null) {
    sonde.kill("SIGTERM");
    await once(sonde, "close");
  }
  target?.close();
  await nats?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startSonde(): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    ...compiled,
    PORT: String(port),
    SONDE_DATA_DIR: join(folder, "data"),
    AGENT_DOWNLOAD_DIR: folder, // Prevents agent builds during the tests.
    NATS_URL: nats.url,
    PROBE_LOCATION: canary("location"),
    PUBLIC_URL: url, // Links in mails need it.
  };
  sonde = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes("Sonde is ready")) resolve();
    };
    sonde.stdout?.on("data", read);
    sonde.stderr?.on("data", read);
    sonde.once("close", () => reject(new Error(printed)));
  });
}

async function call(method: string, path: string, body?: unknown, key: string | null = token): Promise<Json> {
  const response = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
  return json;
}
const create = async (path: string, noun: string, body: unknown) =>
  ((await call("POST", path, body))[noun] as { id: number }).id;

async function addAgent(prefix: string): Promise<number> {
  const created = await call("POST", "/api/agents/tokens", { name: canary(`${prefix}-name`) });
  const host = {
    hostname: canary(`${prefix}-hostname`),
    ipAddresses: [canaryAddress(prefix)],
    os: canary(`${prefix}-os`),
    version: canary(`${prefix}-version`),
    interval: 3600,
  };
  const { agentId, key } = await call("POST", "/agent/v1/register", { token: created["token"], ...host }, null);
  const sizes = { total: 100, used: 50, free: 50, usage: 50 };
  const [device, mountPoint] = [canary(`${prefix}-device`), `/${canary(`${prefix}-mount`)}`];
  const sample = {
    at: new Date().toISOString(),
    cpu: { usage: 20, cores: 8, model: canary(`${prefix}-model`) },
    memory: sizes,
    disks: [{ device, mountPoint, fsType: "ext4", ...sizes }],
    network: [],
    load: { one: 1, five: 1, fifteen: 1 },
    uptime: 1000,
    bootId: "b",
    sequence: 1,
  };
  await call("POST", "/agent/v1/report", { samples: [sample], interval: 3600 }, key as string);
  return agentId as number;
}

/** An IP address cannot contain a canary text, so this one is unique. */
function canaryAddress(prefix: string): string {
  const address = `203.0.113.${100 + prefix.length}`;
  planted.push(address);
  return address;
}

it("plants a text in every private field", async () => {
  const [username, password] = [canary("admin"), "a long password"];
  await call("POST", "/api/auth/register", { username, email: `${canary("email")}@example.com`, password });
  token = (await call("POST", "/api/auth/login", { username, password }))["token"] as string;
  await call("POST", "/api/users", { username: canary("user"), password, role: "user" });
  // A monitor needs a runner, whose first heartbeat may arrive after Sonde is ready.
  await vi.waitFor(
    async () => expect((await call("GET", "/api/locations"))["locations"]).toMatchObject([{ runners: 1 }]),
    {
      timeout: 30_000,
    },
  );

  const { port } = target.address() as AddressInfo;
  const monitor = (prefix: string) => ({
    name: canary(`${prefix}-name`),
    description: canary(`${prefix}-description`),
    note: canary(`${prefix}-note`),
    tags: [canary(`${prefix}-tag`)],
    retries: 0,
  });
  const http = (prefix: string) => ({
    ...monitor(prefix),
    url: `http://127.0.0.1:${port}/${canary(`${prefix}-url`)}`,
    method: "POST",
    headers: [{ name: canary(`${prefix}-header`), value: canary(`${prefix}-header-value`) }],
    body: canary(`${prefix}-body`),
    assertions: [{ source: "body", op: "contains", value: canary(`${prefix}-assertion`) }],
  });
  ids.hidden = await create("/api/monitors", "monitor", http("hidden"));
  ids.agent = await addAgent("agent");
  ids.hiddenAgent = await addAgent("hidden-agent");
  const dependsOn = [
    { type: "monitor", id: ids.hidden },
    { type: "agent", id: ids.hiddenAgent },
  ];
  ids.shop = await create("/api/monitors", "monitor", { ...http("shop"), dependsOn });
  const talk = { send: canary("cart-send"), expect: canary("cart-expect"), timeout: 1 };
  ids.cart = await create("/api/monitors", "monitor", {
    ...monitor("cart"),
    type: "tcp",
    host: "localhost",
    port,
    ...talk,
  });

  const hook = { url: `http://127.0.0.1:${port}/canary-webhook-address`, secret: "canary-webhook-secret" };
  await create("/api/notifications/channels", "channel", { name: canary("channel"), type: "webhook", config: hook });
  const smtp = {
    host: `${canary("smtp-host")}.invalid`,
    port: 587,
    security: "starttls",
    username: canary("smtp-user"),
    password: "canary-smtp-password",
    from: `${canary("smtp-from")}@example.com`,
    to: `${canary("smtp-to")}@example.com`,
  };
  const channelId = await create("/api/notifications/channels", "channel", {
    name: "Mail",
    type: "smtp",
    config: smtp,
  });
  const template = { name: canary("template"), kind: "down", subject: canary("template-text"), content: "{{error}}" };
  await create("/api/notifications/templates", "template", template);

  await call("PUT", "/api/status/config", {
    title: "Public title",
    monitors: [ids.shop, ids.cart],
    agents: [ids.agent],
    names: [
      { type: "monitor", id: ids.shop, name: "Public shop" },
      { type: "monitor", id: ids.cart, name: "Public cart" },
      { type: "agent", id: ids.agent, name: "Public server" },
    ],
    subscriptions: { enabled: true, channelId },
  });
  await call("POST", "/api/status/subscribers", { email: `${canary("subscriber")}@example.com` }, null);

  await expect.poll(openIncidents).toHaveLength(3);
  for (const { id } of await openIncidents()) {
    await call("POST", `/api/incidents/${id}/acknowledge`, { note: canary(`acknowledged-${id}`) });
  }
  ids.announcement = await create("/api/announcements", "announcement", {
    title: "Public announcement",
    impact: "minor",
    monitors: [ids.shop, ids.hidden],
    agents: [ids.hiddenAgent],
    text: "Public update",
  });
  const [start, end] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const window = { monitors: [ids.hidden, ids.cart], agents: [ids.hiddenAgent], start, end };
  await create("/api/maintenance", "maintenance", { ...window, name: "Public maintenance", note: "Public note" });
  const secret = { ...window, name: canary("maintenance"), note: canary("maintenance-note"), public: false };
  await create("/api/maintenance", "maintenance", secret);
  const silence = { target: { type: "monitor", id: ids.shop }, minutes: 60, note: canary("silence-note") };
  await create("/api/silences", "silence", silence);
});

type Opened = { id: string; kind: string; target: { id: number } };
const openIncidents = async () =>
  ((await call("GET", "/api/incidents?open=true"))["incidents"] as Opened[]).filter(({ kind }) => kind === "down");

it("shows the private texts to logged-in users", async () => {
  const paths = [
    "/api/auth/me",
    "/api/users",
    ...[ids.shop, ids.cart, ids.hidden].flatMap((id) => [`/api/monitors/${id}`, `/api/monitors/${id}/checks`]),
    ...[ids.agent, ids.hiddenAgent].map((id) => `/api/agents/${id}`),
    "/api/incidents",
    "/api/notifications/channels",
    "/api/notifications/templates",
    "/api/maintenance",
    "/api/silences",
    "/api/status/subscribers",
    "/api/locations",
  ];
  const shown = (await Promise.all(paths.map(async (path) => JSON.stringify(await call("GET", path))))).join("\n");
  expect(planted.filter((text) => !shown.includes(text))).toEqual([]);
});

it("shows no private text on the public page, in any format or language", async () => {
  const status = async () => (await call("GET", "/api/status", undefined, null))["status"] as Json;
  // Waits until the page shows the incident, the announcement and the maintenance.
  const shownKinds = async () =>
    ((await status())["incidents"] as { kind: string }[]).map(({ kind }) => kind).toSorted();
  await expect.poll(shownKinds, { timeout: 60_000 }).toEqual(["announced", "down"]);
  await expect.poll(async () => (await status())["maintenance"], { timeout: 60_000 }).toHaveLength(1);
  const published = new Map<string, string>();

  const stream = await openPublicStream(url);
  published.set("the first event", JSON.stringify(await stream.next()));
  await call("POST", `/api/monitors/${ids.cart}/pause`);
  for (let event = ""; event !== "monitor";) {
    const frame = await stream.next();
    event = frame?.event ?? "monitor";
    published.set(`event ${published.size}`, JSON.stringify(frame));
  }
  stream.close();

  const incidents = ((await status())["incidents"] as { id: string }[]).map(({ id }) => id);
  const hidden = (await openIncidents()).find(({ target: of }) => of.id === ids.hidden)!.id;
  const pages = [
    "",
    "/history",
    "/embed",
    "/none",
    `/incidents/${hidden}`,
    ...incidents.map((id) => `/incidents/${id}`),
  ];
  const badges = ["status", "uptime", "response"].flatMap((kind) =>
    [ids.shop, ids.hidden].map((id) => `/api/status/badges/${id}.svg?kind=${kind}&`),
  );
  const paths = [...pages.map((path) => `/status${path}?`), "/api/status/feed.atom?", ...badges].flatMap((path) =>
    ["zh-CN", "en-US"].map((language) => `${path}lang=${language}`),
  );
  for (const path of ["/api/status", ...paths]) {
    const response = await fetch(url + path);
    published.set(path, `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`);
  }

  const bus = await connectBus({ url: nats.url, name: "reader", log: silentLog, shrink: 64 });
  const kv = await bus.kv(buckets.status);
  for (const key of [pageKey(defaultSlug), statesKey(defaultSlug)]) {
    published.set(`the key ${key}`, gunzipSync((await kv.get(key))!.value).toString());
  }
  for (const key of documentParts.map((part) => documentsKey(defaultSlug, part))) {
    published.set(`the key ${key}`, brotliDecompressSync((await kv.get(key))!.value).toString());
  }
  await bus.close();

  expect(published.get("/status?lang=en-US")).toContain("Public shop");
  expect(published.get(`/status/incidents/p${ids.announcement}?lang=zh-CN`)).toContain("Public update");
  expect(published.get("/api/status/feed.atom?lang=en-US")).toContain("Public maintenance");
  expect(published.get(`/api/status/badges/${ids.shop}.svg?kind=status&lang=en-US`)).toContain("Public shop");
  expect(published.get(`/api/status/badges/${ids.hidden}.svg?kind=status&lang=en-US`)).toMatch(/^404 /);
  expect(published.get(`/status/incidents/${hidden}?lang=en-US`)).toMatch(/^404 /);
  const leaks = [...published].flatMap(([where, text]) =>
    [...planted, "canary", `:${(target.address() as AddressInfo).port}/`]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${where}: ${secret}`),
  );
  expect(leaks).toEqual([]);
});
