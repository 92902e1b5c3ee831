import { routes } from "@sonde/gateway/routes";
import { freePort } from "@sonde/embedded/free-port";
import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { AuditEntry } from "@sonde/proto/http/audit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { admin, type Api, apiOf } from "@sonde/testing/api";
import { canary, type ChangeRequest, changesOf, unaudited } from "./support/audited.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

let product: Product;
let target: Target;
let slack: StandIn<"slack">;
let api: Api;
let token: string;
/** Audited routes, by the id of their request. */
const changed = new Map<string, string>();
const secrets = new Set([canary, admin.password]);

beforeAll(async () => {
  [target, slack] = await Promise.all([startTarget(), startStandIn("slack")]);
  const port = String(await freePort());
  secrets.add(slack.config.webhookUrl);
  product = await startProduct({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` });
  await call("POST /api/auth/register", { body: admin, token: null });
  token = await login();
  api = apiOf(product.url, token);
});
afterAll(async () => {
  await product?.remove();
  await Promise.all([target?.stop(), slack?.stop()]);
});

const login = async () => (await apiOf(product.url).send<{ token: string }>("POST", "/api/auth/login", admin)).token;

/** Calls a route, by default as the admin. Returns the error response, or `null` on success. */
async function call(route: string, { id, body, token: bearer = token }: ChangeRequest): Promise<string | null> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(
    product.url + [id].flat().reduce<string>((to, one) => to.replace(/:\w+/, String(one)), path),
    {
      method,
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  );
  const text = await response.text();
  if (!response.ok) return `${route}: ${response.status} ${text}`;
  for (const [, , secret] of text.matchAll(/"(token|secret)":"([^"]{20,})"/g)) secrets.add(secret!);
  changed.set(response.headers.get("x-request-id") ?? "", route);
  return null;
}

const openIncident = once(async () => {
  const channel = { name: "Ops", type: "slack", config: slack.config };
  const made = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", channel);
  await api.send("PUT", "/api/notifications/settings/global-monitor", { channels: [made.channel.id] });
  const down = { name: "Down", type: "tcp", host: "127.0.0.1", port: 1, retries: 0 };
  const { monitor } = await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", down);
  const path = `/api/incidents?target=monitor:${monitor.id}`;
  return vi.waitFor(async () => {
    const [incident] = (await api.get<{ incidents: { id: string }[] }>(path)).incidents;
    const [linkToken] = slack.accepted.flatMap(({ text }) => /acknowledge\?token=([\w.-]+)/.exec(text)?.[1] ?? []);
    if (incident === undefined || linkToken === undefined) throw new Error("No incident message has arrived yet");
    return { id: incident.id, linkToken };
  }, patience);
});
const patience = { timeout: 60_000, interval: 250 };

function once<Answer>(run: () => Promise<Answer>): () => Promise<Answer> {
  let made: Promise<Answer> | undefined;
  return () => (made ??= run());
}

async function readAudit(): Promise<{ text: string; entries: AuditEntry[] }> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${product.url}/api/audit/export`, { headers })).text();
  const lines = text.split("\n").filter(Boolean);
  return { text, entries: lines.map((line) => JSON.parse(line) as AuditEntry) };
}

test("each route that changes something leaves an entry or is listed as unaudited, with the reason", async () => {
  const changes = changesOf({
    api,
    as: (token) => apiOf(product.url, token),
    targetUrl: target.url,
    login,
    openIncident,
  });
  const walked = routes
    .filter(({ method, path }) => method !== "GET" || /^\/api(\/audit)?\/export$/.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  const covered = [...Object.keys(changes), ...Object.keys(unaudited), ...changed.values()];
  expect(covered.toSorted()).toEqual(walked.toSorted());

  const refusals = [];
  for (const [route, request] of Object.entries(changes)) refusals.push(await call(route, await request()));
  expect(refusals.filter((refusal) => refusal !== null)).toEqual([]);
  await vi.waitFor(async () => {
    const audited = new Set((await readAudit()).entries.map(({ requestId }) => requestId));
    expect([...changed].filter(([id]) => !audited.has(id)).map(([, route]) => route)).toEqual([]);
  }, patience);
});

test("entries contain an actor and an address, but no secrets", async () => {
  const { text, entries } = await readAudit();
  expect(secrets.size).toBeGreaterThan(5);
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
  expect(entries.filter(({ actor, address }) => actor.username === "" || address === undefined)).toEqual([]);
});

test("viewers cannot read the audit log", async () => {
  await api.send("POST", "/api/users", { username: "vera", password: admin.password, role: "viewer" });
  const anyone = apiOf(product.url);
  const body = { username: "vera", password: admin.password };
  const vera = apiOf(product.url, (await anyone.send<{ token: string }>("POST", "/api/auth/login", body)).token);
  await expect(vera.get("/api/audit")).rejects.toThrow(/403/);
  await expect(vera.get("/api/audit/export")).rejects.toThrow(/403/);
});
