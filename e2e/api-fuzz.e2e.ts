import { serveDns } from "@sonde/probe-runner/testing/dns-server";
import { closeServers } from "@sonde/probe-runner/testing/loopback";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { checkTypes, kindOf, kinds } from "@sonde/proto/http/monitors/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, apiOf, firstAdmin } from "@sonde/testing/api";
import { channelConfigs } from "./support/fuzz/channel-configs.ts";
import { type Operation, readOperations } from "./support/fuzz/document.ts";
import { faultsOf, send } from "./support/fuzz/judge.ts";
import { type Hints, requestsOf } from "./support/fuzz/requests.ts";
import { makeVictim } from "./support/fuzz/victims.ts";
import { type Product, startProduct } from "@sonde/testing/product";
import { startTarget, type Target } from "@sonde/testing/target";

/** Another seed picks other mutations and values; a failure prints the one that found it. */
const seed = Number(process.env["FUZZ_SEED"] ?? 20260131);
const most = { admin: 70, viewer: 6, anonymous: 6 };
const valid = { admin: 3, viewer: 1, anonymous: 1 };
type Actor = keyof typeof most;
/** What only messages hold: no random token is one. */
const byLink = new Set([
  "getIncidentsAcknowledgeLink",
  "postIncidentsAcknowledgeLink",
  "postIncidentsAcknowledgeLinkSnooze",
  "postStatusSubscribersConfirm",
]);
/** One of two fields is given, or both of a pair in their order, which the schema does not say. */
const oneOfTwo = new Set([
  "postMaintenance",
  "postMonitorsBulk",
  "postIncidentsIdSnooze",
  "postSilences",
  "postAuthFactor",
]);
/** Subscribing needs PUBLIC_URL: `deploy/local/src/subscribers.it.test.ts` does. */
const bySubscribers = ["postStatusSubscribers", "deleteStatusSubscribersId"];
/** No random password logs in, and this product builds no agents. */
/** Their paths have names of several kinds, or of a host of a page. */
const byNames = ["deleteSourcesNameObjectsKindKey", "deletePagesSlugLinksId", "getHostsAsk"];
/** No random ticket ends a login, there is no factor to remove, and by an IP address there are no passkeys. */
const byTicket = ["postAuthFactor", "postAuthFactorEnroll", "postAuthPasskey", "deleteMeFactorsId"];
const unreachable = new Set([
  "postAuthLogin",
  "postAuthOidcExchange",
  "postAgentsDownloads",
  ...byTicket,
  ...byNames,
  ...byLink,
  ...bySubscribers,
]);

const password = "correct horse battery";
const mayUse: Record<string, readonly Actor[]> = {
  anyone: ["admin", "viewer", "anonymous"],
  session: ["admin", "viewer"],
  write: ["admin"],
  // The path names another account.
  self: ["admin"],
  admin: ["admin"],
};

let product: Product;
let target: Target;
let nameServer: { port: number };
let api: Api;
let operations: Operation[];
const tokens: Record<Actor, string | null> = { admin: null, viewer: null, anonymous: null };

beforeAll(async () => {
  target = await startTarget();
  nameServer = await serveDns({});
  product = await startProduct();
  ({ api } = await firstAdmin(product.url));
  for (const role of ["admin", "viewer"] as const) {
    await api.send("POST", "/api/users", { username: `fuzz-${role}`, password, role });
    tokens[role] = await login(`fuzz-${role}`);
  }
  // Agents' own routes take keys, not sessions, and are fuzzed beside the service that answers them.
  operations = readOperations(await api.get("/api/openapi.json")).filter(
    // Those who push pings get the words of Uptime Kuma (`services/gateway/src/pings/pings.it.test.ts`), and browsers on their
    // way through a provider get no envelopes (`services/gateway/src/routes/sign-in/way.test.ts`).
    ({ path }) =>
      path.startsWith("/api/") && !path.startsWith("/api/push/") && !path.startsWith("/api/auth/oidc/{slug}/"),
  );
  // Agents answer once their service is part of the product: then there is a way to make one.
  if (!operations.some(({ id }) => id === "postAgentsTokens")) {
    operations = operations.filter(({ path }) => !path.startsWith("/api/agents"));
  }
});
afterAll(async () => {
  await product?.remove();
  await target?.stop();
  closeServers();
});

async function login(username: string): Promise<string> {
  const anyone = apiOf(product.url);
  return (await anyone.send<{ token: string }>("POST", "/api/auth/login", { username, password })).token;
}

/** What requests may do their worst to: made again for each operation, never the actors themselves. */
async function makeVictims(path: string, actor: Actor): Promise<(number | string)[]> {
  if (path.startsWith("/api/auth/sessions/")) return actor === "anonymous" ? [] : otherSessions(actor);
  const ids: (number | string)[] = [];
  for (let count = 0; count < valid.admin + 2; count += 1) {
    ids.push(
      await patiently(() => makeVictim(api, path, { name: uniqueName("victim"), password, targetUrl: target.url })),
    );
  }
  return ids;
}

/** What is made first is not what is tried: a service that is busy beside other tests is asked again. */
async function patiently<Made>(make: () => Promise<Made>): Promise<Made> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await make();
    } catch (fault) {
      if (tries === 10 || !String(fault).includes(": 503 ")) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** Sessions of an actor beside the one that asks. */
async function otherSessions(actor: Exclude<Actor, "anonymous">): Promise<number[]> {
  for (let count = 0; count < valid.admin + 2; count += 1) await login(`fuzz-${actor}`);
  const own = apiOf(product.url, tokens[actor]!);
  const { sessions } = await own.get<{ sessions: { id: number; isCurrent: boolean }[] }>("/api/auth/sessions");
  return sessions.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id);
}

async function keepMonitor(): Promise<number> {
  const kept = { name: uniqueName("kept"), url: target.url };
  return (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", kept)).monitor.id;
}

let names = 0;
const uniqueName = (prefix: string) => `${prefix}-${seed}-${(names += 1)}`;

/** What no schema can know of this installation. */
const byName: Hints["byName"] = {
  username: () => uniqueName("fuzz"),
  email: () => `${uniqueName("fuzz")}@example.com`,
  url: (_at, { type }) => (type === "websocket" ? target.url.replace("http", "ws") : target.url),
  query: () => "SELECT 1",
  // Of a flow; names refer to earlier steps.
  steps: () => [
    { name: "first", url: target.url, extract: [{ name: "code", source: "status" }] },
    { url: target.url, headers: [{ name: "X-Code", value: "{{code}}" }] },
  ],
  proxy: () => ({ url: new URL(target.url).origin, username: "sonde", password: "s3cret" }),
  oauth: () => ({ tokenUrl: target.url, clientId: "sonde", clientSecret: "s3cret" }),
  // No schema knows which key belongs to it.
  clientCertificate: () => undefined,
  // Only this machine is checked.
  host: () => "localhost",
  port: () => Number(new URL(target.url).port),
  resolver: () => `127.0.0.1:${nameServer.port}`,
  // A public suffix: no registry is asked about it.
  domain: () => "co.uk",
  interval: (_at, { type }) => (type === "domain" ? 1440 : 1),
  timeout: () => 5,
  retries: () => 0,
  // A token is for a new agent.
  agentId: () => undefined,
  locations: () => ["default"],
  // There is one location alone, which confirms nothing of its own.
  confirm: () => null,
  dependsOn: () => [],
  // No channel is notified of what this test breaks.
  channels: () => [],
  templateId: () => undefined,
  timeZone: (_at, { type }) => (type === "heartbeat" ? undefined : "UTC"),
  // Of a heartbeat one of two.
  every: () => 60,
  cron: () => undefined,
  minRuntime: () => undefined,
  slug: () => uniqueName("fuzz"),
  logoUrl: () => null,
  embedOrigins: () => ["https://example.com"],
  quietHours: () => ({ start: "22:00", end: "07:00", timeZone: "Asia/Shanghai" }),
  // A change without a type is of a webhook, as all channels are that are changed here.
  config: (_at, { type }) => channelConfigs(target.url)[(type as ChannelTypeName | undefined) ?? "webhook"],
  assertions: (at: number) => (at % 2 === 0 ? [] : [{ source: "json", property: "$.ok", op: "exists" }]),
};

/** Of a heartbeat either `every` or `cron` counts, and no two have a slug. */
function together(body: Record<string, unknown>): void {
  if (body["type"] !== "heartbeat") return;
  for (const name of ["cron", "timeZone", "minRuntime"]) delete body[name];
  body["every"] = 5;
  if (body["slug"]) body["slug"] = uniqueName("fuzz");
}

/** What no schema can know of a change: the monitors that are changed are of HTTP, and have no fields of other kinds. */
const ofHttp = {
  type: () => "http",
  ...Object.fromEntries(
    checkTypes
      .flatMap((type) => Object.keys(kindOf(type).fields))
      .filter((name) => !(name in kinds.http.fields))
      .map((name) => [name, () => undefined]),
  ),
  // Only an https address has one.
  servername: () => undefined,
};

/** What an announcement names exists. */
const namesNothing: Hints["byName"] = {
  monitors: () => [],
  agents: () => [],
  incidentId: () => undefined,
  pages: () => null,
};

/** A page that everyone may read, at no host of its own. */
const page: Hints["byName"] = {
  ...namesNothing,
  groups: () => [],
  hosts: () => [],
  access: () => ({ mode: "public" }),
};

/** Maintenance covers a monitor that exists, once, soon. */
let coveredMonitor = 0;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const covered: Hints["byName"] = {
  monitors: () => [coveredMonitor],
  agents: () => [],
  rrule: () => undefined,
  pages: () => null,
};
const planned: Hints["byName"] = { ...covered, start: () => hoursFromNow(1), end: () => hoursFromNow(2) };
/** Both ends of a period in their order. */
const past: Hints["byName"] = { from: () => hoursFromNow(-2), until: () => hoursFromNow(-1) };
/** One that runs keeps its start. */
const replanned: Hints["byName"] = { ...covered, start: () => undefined, end: () => undefined };

/** What no schema says: http is for this machine alone, a role is found by a JSONPath. */
const aProvider: Hints["byName"] = {
  issuer: () => "https://id.example.com",
  roleClaim: () => "$.groups",
  slug: () => uniqueName("p").slice(-40).replace(/^-/, ""),
  scopes: () => ["openid"],
};

/** What is changed is of a type that the schema of a change cannot know. */
const changes: Record<string, Hints["byName"]> = {
  "PUT /api/monitors/{id}": ofHttp,
  // The step that each range can have; which others, the schema does not say.
  "GET /api/monitors/{id}/history": { ...past, step: () => "1d" },
  "GET /api/monitors/{id}/history/locations": past,
  "GET /api/schedule": { cron: () => "30 2 * * *" },
  "PUT /api/notifications/channels/{id}": { type: () => "webhook" },
  // A filter would reach what other operations are tried on.
  "POST /api/incidents/{id}/snooze": { until: () => undefined },
  "POST /api/incidents/bulk": { action: () => "acknowledge", until: () => undefined, minutes: () => undefined },
  "POST /api/silences": { until: () => undefined, target: () => ({ type: "monitor", id: coveredMonitor }) },
  "POST /api/keys": { expiresAt: () => undefined, accountId: () => undefined, allowFrom: () => [] },
  "PUT /api/keys/{id}": { expiresAt: () => undefined, allowFrom: () => [] },
  "POST /api/pages": page,
  "PUT /api/pages/{slug}": page,
  "POST /api/pages/{slug}/links": { expiresAt: () => undefined },
  "POST /api/me/factors": {
    type: () => "totp",
    password: () => password,
    ...Object.fromEntries(["ticket", "code", "passkey", "name"].map((name) => [name, () => undefined])),
  },
  "DELETE /api/me/factors/{id}": { password: () => password },
  "POST /api/me/sessions/end": { password: () => password },
  "POST /api/sign-in/providers": aProvider,
  // A mask keeps what is stored, which another issuer does not get.
  "PUT /api/sign-in/providers/{slug}": aProvider,
  "POST /api/sign-in/providers/{slug}/test": { provider: () => undefined },
  "POST /api/service-accounts": { name: () => uniqueName("fuzz") },
  "POST /api/monitors/bulk": { filter: () => undefined, changes: () => undefined },
  "POST /api/apply": {
    config: (at) => ({ monitors: { [`fuzz-${at}`]: { url: target.url } } }),
    allowDelete: () => 0,
  },
  "POST /api/maintenance": planned,
  "PUT /api/maintenance/{id}": replanned,
  "POST /api/announcements": namesNothing,
  "PUT /api/announcements/{id}": namesNothing,
};

test(
  "whatever the document allows or refuses, every answer is one that it documents",
  { timeout: 1_200_000 },
  async () => {
    const found: string[] = [];
    const unreached: string[] = [];
    let asked = 0;
    // Failed logins of one address are counted; a good one is needed before each logout.
    const ordered = operations.toSorted(
      (left, right) => Number(left.id === "postAuthLogin") - Number(right.id === "postAuthLogin"),
    );
    for (const operation of ordered) {
      const isStream = operation.answers.get(200)?.media === "text/event-stream";
      // A stream that everybody may open has no end.
      if (isStream && operation.who === "anyone") continue;
      // What others delete in bulk would be gone.
      if (/^\/api\/(maintenance|silences)/.test(operation.path)) coveredMonitor = await keepMonitor();
      for (const actor of isStream ? (["anonymous"] as const) : (["admin", "viewer", "anonymous"] as const)) {
        const isAllowedIn = mayUse[operation.who]?.includes(actor) === true;
        const victims =
          operation.path.includes("{") || operation.path.endsWith("/bulk")
            ? await makeVictims(operation.path, actor)
            : [];
        const ofWhatIsChanged = changes[`${operation.method} ${operation.path}`];
        const hints = { ids: () => victims.slice(0, 1), byName: { ...byName, ...ofWhatIsChanged }, together };
        // Where there is nothing to name by an id, 404 is all that can be reached; this product builds no agents (422).
        let reached = (operation.path.includes("{") && victims.length === 0) || operation.id === "postAgentsDownloads";
        for (const request of requestsOf(operation, hints, { seed, valid: valid[actor], most: most[actor] })) {
          const isLogout = operation.id === "postAuthLogout" && actor !== "anonymous";
          const answer = await send(product.url, request, isLogout ? await login(`fuzz-${actor}`) : tokens[actor]);
          asked += 1;
          reached ||= answer.status < 300;
          if (operation.method === "DELETE" && answer.status < 300) victims.shift();
          const line = `${actor} ${request.method} ${request.path.slice(0, 100)} (${request.idea})`;
          const faults = faultsOf(operation, request, answer, isAllowedIn);
          // A valid request may meet a conflict or a limit, but is what the document says.
          const mayBeRefused = byLink.has(operation.id) || oneOfTwo.has(operation.id);
          if (isAllowedIn && request.allowed === true && answer.status === 400 && !mayBeRefused)
            faults.push(`it refused what the document allows: ${answer.text}`);
          found.push(...faults.map((fault) => `${line}: ${fault}; ${request.body?.slice(0, 300)}`));
        }
        if (isAllowedIn && actor === "admin" && !reached && !unreachable.has(operation.id))
          unreached.push(operation.id);
      }
    }
    expect(found.slice(0, 30), `FUZZ_SEED=${seed}, ${asked} requests`).toEqual([]);
    // Had the requests not come in anywhere, nothing would have been tried.
    expect(unreached).toEqual([]);
    expect(asked).toBeGreaterThan(1000);
    // The actors' own sessions lived through it all: no 401 hid an answer.
    for (const actor of ["admin", "viewer"] as const) {
      await expect(apiOf(product.url, tokens[actor]!).get("/api/auth/me")).resolves.toMatchObject({ success: true });
    }
  },
);
