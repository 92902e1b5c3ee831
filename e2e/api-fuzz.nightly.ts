import { type OpenApi, readOperations } from "@sonde/gateway/testing/fuzz/document";
import { fuzz, oneOfTwo } from "@sonde/gateway/testing/fuzz/fuzz";
import { createHints } from "@sonde/gateway/testing/fuzz/hints";
import type { FuzzActor } from "@sonde/gateway/testing/fuzz/judge";
import { serveDns } from "@sonde/probe-runner/testing/dns-server";
import { closeServers } from "@sonde/probe-runner/testing/loopback";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, apiOf, firstAdmin } from "@sonde/testing/api";
import { createVictim } from "./support/victims.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

// `services/gateway/src/fuzz.test.ts` sends fewer requests, to the gateway only.
const seed = Number(process.env["FUZZ_SEED"] ?? 20260131);
const counts = {
  admin: { valid: 3, mutations: 70 },
  viewer: { valid: 1, mutations: 6 },
  anonymous: { valid: 1, mutations: 6 },
};
/** Operations that need a token of a link. */
const byLink = [
  "getIncidentsAcknowledgeLink",
  "postIncidentsAcknowledgeLink",
  "postIncidentsAcknowledgeLinkSnooze",
  "postStatusSubscribersConfirm",
  "getOnCallSchedulesIdIcs",
  "getReportsIdPeriod",
  "getReportsRecipients",
  "postReportsRecipients",
];
const unreachable = [
  ...byLink,
  // Random credentials are never valid, there is no factor to remove, and an IP address has no passkeys.
  "postAuthLogin",
  "postAuthOidcExchange",
  "postAuthFactor",
  "postAuthFactorEnroll",
  "postAuthPasskey",
  "deleteMeFactorsId",
  "postAgentsDownloads",
  // Paths that contain names of two kinds, or the host of a page.
  "deleteSourcesNameObjectsKindKey",
  "deletePagesSlugLinksId",
  "deleteOnCallSchedulesIdOverridesOverrideId",
  "getHostsAsk",
  // Subscriptions need PUBLIC_URL: see `deploy/local/src/subscribers.it.test.ts`.
  "postStatusSubscribers",
  "deleteStatusSubscribersId",
];
const missingId = 2_000_000_000;
const password = "correct horse battery";

let product: Product;
let target: Target;
let nameServer: { port: number };
let api: Api;
const tokens: Record<FuzzActor, string | null> = { admin: null, viewer: null, anonymous: null };

beforeAll(async () => {
  target = await startTarget();
  nameServer = await serveDns({});
  product = await startProduct();
  ({ api } = await firstAdmin(product.url));
  for (const role of ["admin", "viewer"] as const) {
    await api.send("POST", "/api/users", { username: `fuzz-${role}`, password, role });
    tokens[role] = await login(role);
  }
}, 300_000);
afterAll(async () => {
  await product?.remove();
  await target?.stop();
  closeServers();
});

async function login(role: Exclude<FuzzActor, "anonymous">): Promise<string> {
  const credentials = { username: `fuzz-${role}`, password };
  return (await apiOf(product.url).send<{ token: string }>("POST", "/api/auth/login", credentials)).token;
}

/** Creates objects that requests may change or delete, never the actors themselves. */
async function createVictims(path: string, actor: FuzzActor): Promise<(number | string)[]> {
  if (path.startsWith("/api/auth/sessions/")) return actor === "anonymous" ? [] : otherSessions(actor);
  const ids: (number | string)[] = [];
  for (let count = 0; count < counts.admin.valid + 2; count += 1) {
    ids.push(await createVictim(api, path, { name: uniqueName("victim"), password, targetUrl: target.url }));
  }
  return ids;
}

async function otherSessions(actor: Exclude<FuzzActor, "anonymous">): Promise<number[]> {
  for (let count = 0; count < counts.admin.valid + 2; count += 1) await login(actor);
  const own = apiOf(product.url, tokens[actor]!);
  const { sessions } = await own.get<{ sessions: { id: number; isCurrent: boolean }[] }>("/api/auth/sessions");
  return sessions.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id);
}

async function keepMonitor(): Promise<number> {
  const input = { name: uniqueName("kept"), url: target.url };
  return (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input)).monitor.id;
}

let names = 0;
const uniqueName = (prefix: string) => `${prefix}-${seed}-${(names += 1)}`;

test("every response to valid and mutated requests matches the OpenAPI document", { timeout: 1_800_000 }, async () => {
  // Failed logins are limited per address, and each logout needs a successful login first, so fuzz logins last.
  const operations = readOperations(await api.get<OpenApi>("/api/openapi.json")).toSorted(
    (left, right) => Number(left.id === "postAuthLogin") - Number(right.id === "postAuthLogin"),
  );
  let monitorId = 0;
  let victims: (number | string)[] = [];
  const hintsOf = createHints({
    targetUrl: target.url,
    resolver: `127.0.0.1:${nameServer.port}`,
    password,
    uniqueName,
    monitorId: () => monitorId,
  });

  const { problems, unreached, requests } = await fuzz({
    baseUrl: product.url,
    operations,
    seed,
    counts,
    hintsOf: async (operation, actor) => {
      const { path } = operation;
      // Bulk operations may have deleted the previous monitor.
      if (/^\/api\/(maintenance|silences)/.test(path)) monitorId = await keepMonitor();
      victims = path.includes("{") || path.endsWith("/bulk") ? await createVictims(path, actor) : [];
      return {
        path: (template) => template.replaceAll(/\{\w+\}/g, () => String(victims[0] ?? missingId)),
        ids: () => victims.slice(0, 1),
        ...hintsOf(operation),
      };
    },
    tokenOf: async ({ id }, actor) => (id === "postAuthLogout" && actor !== "anonymous" ? login(actor) : tokens[actor]),
    onDelete: () => void victims.shift(),
    unreachable,
    mayRefuseValid: [...oneOfTwo, ...byLink],
  });

  expect(problems.slice(0, 30), `FUZZ_SEED=${seed}, ${requests} requests`).toEqual([]);
  expect(unreached, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(requests).toBeGreaterThan(8_000);
  // The actors' sessions are still valid, so no 401 masked another response.
  for (const actor of ["admin", "viewer"] as const) {
    await expect(apiOf(product.url, tokens[actor]!).get("/api/auth/me")).resolves.toMatchObject({ success: true });
  }
});
