import { systemClock } from "@sonde/kit/time/clock";
import { listen } from "@sonde/kit/http/server";
import { type Log, silentLog } from "@sonde/kit/service/log";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { forwardTo } from "../agent-path/forward.ts";
import { createHandler, listenOptions } from "../app.ts";
import type { Deps } from "../deps.ts";
import { createHub } from "../events/hub.ts";
import { createDirectReader } from "../import/reader.ts";
import { routes } from "../routes/routes.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { tokenHash } from "../sessions/sessions.ts";
import { createKeyUse } from "../sessions/key-use.ts";
import { createLimits } from "../middleware/limits.ts";
import { createScrape } from "../prometheus/read.ts";
import { createMonitorOrder } from "../uptimes/order.ts";
import { fakePublicPage } from "./fake-public-page.ts";
import { createFakes, directServices } from "./fakes.ts";
import { fakeImage } from "./fake-status-page.ts";
import { principals, sessionsByHash } from "./principals.ts";

export type TestRole = keyof typeof principals;
export type Ask = { as?: TestRole; token?: string; body?: unknown; headers?: Record<string, string> };
type TestResponse = { status: number; headers: Headers; body: Record<string, unknown>; text: string };

export const testConfig: Deps["config"] = {
  // Accepts every Host header; `middleware/host.test.ts` covers the other case.
  host: "0.0.0.0",
  publicUrl: null,
  trustedProxies: [],
  minIntervalMinutes: 1,
  footerLinks: {
    blog: "https://example.com/blog",
    video: "https://example.com/video",
    mail: "https://example.com",
  },
  maxStreams: 100,
  maxStreamsPerUser: 20,
  maxPublicStreamsPerAddress: 50,
  agentDownloadUrl: null,
  agentDownloadDir: "/nowhere",
  agentDownloadKey: null,
};

/** The gateway's middleware over fakes, on a free port. */
export async function startTestApp(overrides: Partial<Deps> = {}, log: Log = silentLog) {
  const fakes = createFakes();
  const hub = createHub({ clock: systemClock, maxStreams: 100, maxStreamsPerUser: 20 });
  const services = overrides.services ?? directServices(fakes);
  const maintenance = { at: () => undefined, covered: () => new Set<number>(), silencedUntil: () => undefined };
  const deps: Deps = {
    config: testConfig,
    services,
    sessions: fixedSessions,
    keyUse: createKeyUse(services.keys, systemClock, log),
    hub,
    maintenance,
    forward: forwardTo(null),
    pings: { take: () => false, findInbound: fakeInbound },
    site: new Map(),
    docs: new Map(),
    status: await fakePublicPage(),
    agentBuilder: { state: () => null, start: () => {}, begin: async () => {} },
    documentReader: createDirectReader(),
    ...createLimits(),
    monitorOrder: createMonitorOrder(services, systemClock),
    scrape: createScrape({ services, maintenance, clock: systemClock }),
    clock: systemClock,
    log,
    spans: null,
    ...overrides,
  };
  const http = await listen(createHandler(deps), { ...listenOptions, host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${http.address.port}`;
  return {
    url,
    port: http.address.port,
    fakes,
    deps,
    hub: deps.hub,
    http,
    /** Sends a request, and validates every success against its route's schema. */
    ask: async (method: string, path: string, { as, token, body, headers }: Ask = {}): Promise<TestResponse> => {
      const bearer = token ?? (as === undefined ? undefined : principals[as].token);
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
      const json = (isJson ? JSON.parse(text) : {}) as Record<string, unknown>;
      if (response.ok && isJson) matchSchema(method, path, json);
      return { status: response.status, headers: response.headers, body: json, text };
    },
    stop: async () => {
      hub.close();
      deps.status.streams.close();
      await http.drain(100);
    },
  };
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

/** Throws if a response lacks fields of its schema, or has others. */
function matchSchema(method: string, path: string, json: unknown): void {
  const pathname = path.split("?")[0]!;
  const candidates = routes.filter((route) => route.method === method && pattern(route.path).test(pathname));
  const answer = (candidates.find(({ path: own }) => own === pathname) ?? candidates[0])?.answer;
  if (answer === undefined || typeof answer === "string") return;
  const parsed = (answer as z.ZodType).parse(json);
  if (!isDeepStrictEqual(parsed, json)) throw new Error(`${method} ${path} returns more than it declares`);
}

const fakeInbound: Deps["pings"]["findInbound"] = async (token) => ({
  monitorId: 7,
  format: token === "events" ? "events-v2" : "generic",
});

/** Fills in ids that the fakes know. */
export function pathOf(template: string): string {
  if (template.startsWith("/api/sources"))
    return template.replace(":name", "prod-git").replace(":kind", "monitor").replace(":key", "shop");
  if (template.endsWith("/v2/enqueue")) return template.replace(":token", "events");
  if (template.startsWith("/api/calls")) return "/api/calls/reference-of-a-phone-call/answer";
  if (template.endsWith("/:period")) return "/api/reports/7/2026-W04.html";
  if (template.startsWith("/api/pages")) return template.replace(":slug", "acme").replace(":id", "7");
  if (template.startsWith("/api/status-page")) return template.replace(":slug", "default");
  if (template.startsWith("/api/badge")) return template.replace(":id", "7").replace(":duration", "24");
  if (template.startsWith("/api/status/images")) return template.replace(":id", fakeImage.id);
  const id = template.startsWith("/api/users") ? "2" : template.startsWith("/api/incidents") ? "m5" : "7";
  return template.replaceAll(/:\w+/g, id);
}

const pattern = (template: string) => new RegExp(`^${template.replace(/:\w+/g, "[^/]+")}$`);

const fixedSessions: Sessions = {
  resolve: async (token) => sessionsByHash.get(tokenHash(token)) ?? null,
  keepsRights: () => true,
  hasEnded: () => false,
  isCurrent: () => true,
  settle: async () => {},
  onEnd: () => () => {},
  stop: async () => {},
};
