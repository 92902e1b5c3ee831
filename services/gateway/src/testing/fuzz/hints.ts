import type { TeamChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { checkTypes, kindOf, kinds } from "@sonde/proto/http/monitors/kinds";
import { channelConfigs } from "./channel-configs.ts";
import type { Hints } from "./requests.ts";

export type FuzzTarget = {
  /** An HTTP server that monitors and channels may call. */
  targetUrl: string;
  /** Address and port of a name server. */
  resolver: string;
  password: string;
  /** Returns a name that no other object has. */
  uniqueName: (prefix: string) => string;
  /** Monitor that maintenance and silences may cover. */
  monitorId: () => number;
};

type ByName = Hints["byName"];

const noValue = () => undefined;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
/** Both ends of a period, in order. */
const pastPeriod: ByName = { from: () => hoursFromNow(-2), until: () => hoursFromNow(-1) };

/** Returns values that schemas cannot describe, because they depend on other fields or on the installation. */
export function createHints(
  target: FuzzTarget,
): (operation: { method: string; path: string }) => Pick<Hints, "byName" | "together"> {
  const { targetUrl, resolver, password, uniqueName, monitorId } = target;
  const everywhere: ByName = {
    username: () => uniqueName("fuzz"),
    email: () => `${uniqueName("fuzz")}@example.com`,
    url: (_at, { type }) => (type === "websocket" ? targetUrl.replace("http", "ws") : targetUrl),
    query: () => "SELECT 1",
    // Variables refer to earlier steps.
    steps: () => [
      { name: "first", url: targetUrl, extract: [{ name: "code", source: "status" }] },
      { url: targetUrl, headers: [{ name: "X-Code", value: "{{code}}" }] },
    ],
    proxy: () => ({ url: new URL(targetUrl).origin, username: "sonde", password: "s3cret" }),
    oauth: () => ({ tokenUrl: targetUrl, clientId: "sonde", clientSecret: "s3cret" }),
    // Certificate and key must match.
    clientCertificate: noValue,
    // Only an https address has one.
    servername: (_at, { type, servername }) => (type === "http" ? undefined : servername),
    // Nothing outside this machine is checked.
    host: () => "localhost",
    port: () => Number(new URL(targetUrl).port),
    resolver: () => resolver,
    // A public suffix: no registry is queried for it.
    domain: () => "co.uk",
    // The ends of a range must be in order.
    expectedStatus: () => "2xx,300-308",
    interval: (_at, { type }) => (type === "domain" ? 1440 : 1),
    timeout: () => 5,
    retries: () => 0,
    // Below the timeout, and `of` within `in`.
    slowAfter: () => 1_000,
    slowChecks: () => ({ of: 1, in: 2 }),
    // A token that names no agent registers a new one.
    agentId: noValue,
    locations: () => ["default"],
    // The only location has no other one to confirm its failures.
    confirm: () => null,
    dependsOn: () => [],
    channels: () => [],
    templateId: noValue,
    policyId: noValue,
    timeZone: (_at, { type }) => (type === "heartbeat" ? undefined : "UTC"),
    // A heartbeat has either `every` or `cron`.
    every: () => 60,
    cron: noValue,
    minRuntime: noValue,
    slug: () => uniqueName("fuzz"),
    data: () => Buffer.from("<svg/>").toString("base64"),
    logo: () => null,
    favicon: () => null,
    logoUrl: () => null,
    embedOrigins: () => ["https://example.com"],
    quietHours: () => ({ start: "22:00", end: "07:00", timeZone: "Asia/Shanghai" }),
    // A change need not name a type; the channels that are changed are webhooks.
    config: (_at, { type }) => channelConfigs(targetUrl)[(type as TeamChannelTypeName | undefined) ?? "webhook"],
    assertions: (at: number) => (at % 2 === 0 ? [] : [{ source: "json", property: "$.ok", op: "exists" }]),
  };

  /** The monitors that are changed are HTTP monitors, without fields of other kinds. */
  const httpMonitor: ByName = {
    type: () => "http",
    ...Object.fromEntries(
      checkTypes
        .flatMap((type) => Object.keys(kindOf(type).fields))
        .filter((name) => !(name in kinds.http.fields))
        .map((name) => [name, noValue]),
    ),
  };
  const announcement: ByName = { monitors: () => [], agents: () => [], incidentId: noValue, pages: () => null };
  const page: ByName = { ...announcement, groups: () => [], hosts: () => [], access: () => ({ mode: "public" }) };
  const covered: ByName = {
    monitors: () => [monitorId()],
    agents: () => [],
    tags: () => [],
    rrule: noValue,
    pages: () => null,
  };
  const provider: ByName = {
    issuer: () => "https://id.example.com",
    roleClaim: () => "$.groups",
    slug: () => uniqueName("p").slice(-40).replace(/^-/, ""),
    scopes: () => ["openid"],
  };
  const rotation: ByName = {
    timeZone: () => "Europe/Berlin",
    // The first account exists everywhere.
    layers: () => [{ members: [1], every: { n: 1, unit: "day" }, handoff: { time: "09:00" }, from: "2026-01-01" }],
  };
  const opsgenieRotation = {
    type: "weekly",
    startDate: "2026-01-05T08:00:00Z",
    participants: [{ type: "user", username: "ada" }],
  };
  const onCallPeriod: ByName = { from: () => hoursFromNow(0), to: () => hoursFromNow(48) };
  // Overrides must not overlap.
  const override: ByName = {
    userId: () => 1,
    start: (at) => hoursFromNow(at * 2 + 1),
    end: (at) => hoursFromNow(at * 2 + 2),
  };
  // The first account exists everywhere.
  const policy: ByName = { steps: () => [{ after: 5, notify: ["user:1"] }] };
  const slo: ByName = { timeZone: () => "Europe/Berlin", window: () => "month", policyId: noValue };
  // One of the three scopes.
  const reported: ByName = {
    ...Object.fromEntries(["targets", "tag", "pageId"].map((name) => [name, noValue])),
    every: () => "month",
    recipients: () => [],
    channelId: noValue,
  };
  const byOperation: Record<string, ByName> = {
    "POST /api/changes": { at: noValue },
    "POST /api/slos": slo,
    "PUT /api/slos/{id}": { ...slo, targets: noValue, tag: noValue },
    "PUT /api/monitors/{id}": httpMonitor,
    // The only step that each range allows.
    "GET /api/monitors/{id}/history": { ...pastPeriod, step: () => "1d" },
    "GET /api/monitors/{id}/history/locations": pastPeriod,
    "GET /api/maintenance/occurrences": pastPeriod,
    "GET /api/on-call/schedules/{id}/shifts": onCallPeriod,
    "POST /api/on-call/schedules": rotation,
    "POST /api/on-call/import": {
      source: () => "opsgenie",
      data: () => ({ data: [{ name: uniqueName("fuzz"), rotations: [opsgenieRotation] }] }),
    },
    "PUT /api/on-call/schedules/{id}": rotation,
    "POST /api/on-call/schedules/preview": { ...rotation, ...onCallPeriod },
    "POST /api/on-call/schedules/{id}/overrides": override,
    // The first account; a second drill would run at the same time.
    "POST /api/on-call/drills": { target: () => "user:1" },
    "POST /api/reports": reported,
    "PUT /api/reports/{id}": reported,
    "POST /api/reports/{id}/send": { period: noValue },
    "POST /api/on-call/policies": policy,
    "POST /api/notifications/rehearse": {
      from: pastPeriod["from"]!,
      to: () => hoursFromNow(-1),
      settings: noValue,
      policies: noValue,
    },
    "PUT /api/on-call/policies/{id}": policy,
    // Other contacts need channels that send to them.
    "PUT /api/me/contacts": { timeZone: () => "UTC", rules: () => [], subscriptions: noValue },
    "GET /api/schedule": { cron: () => "30 2 * * *" },
    "PUT /api/notifications/channels/{id}": { type: () => "webhook" },
    "POST /api/incidents/{id}/snooze": { until: noValue },
    // A filter would also match what other operations use.
    "POST /api/incidents/bulk": { action: () => "acknowledge", until: noValue, minutes: noValue },
    "GET /api/notifications/audience": { target: () => `monitor:${monitorId()}` },
    "POST /api/silences": { until: noValue, target: () => ({ type: "monitor", id: monitorId() }) },
    "PUT /api/silences/{id}": { until: noValue },
    "POST /api/keys": { expiresAt: noValue, accountId: noValue, allowFrom: () => [] },
    "PUT /api/keys/{id}": { expiresAt: noValue, allowFrom: () => [] },
    "POST /api/pages": page,
    "PUT /api/pages/{slug}": page,
    "POST /api/pages/{slug}/links": { expiresAt: noValue },
    "POST /api/me/factors": {
      type: () => "totp",
      password: () => password,
      ...Object.fromEntries(["ticket", "code", "passkey", "name"].map((name) => [name, noValue])),
    },
    "DELETE /api/me/factors/{id}": { password: () => password },
    "POST /api/me/sessions/end": { password: () => password },
    "POST /api/sign-in/providers": provider,
    // A masked secret keeps the stored one, which is refused for another issuer.
    "PUT /api/sign-in/providers/{slug}": provider,
    "POST /api/sign-in/providers/{slug}/test": { provider: noValue },
    "POST /api/service-accounts": { name: () => uniqueName("fuzz") },
    "POST /api/monitors/bulk": { filter: noValue, changes: noValue },
    "POST /api/apply": {
      config: (at) => ({ monitors: { [`fuzz-${at}`]: { url: targetUrl } } }),
      allowDelete: () => 0,
    },
    "POST /api/maintenance": { ...covered, start: () => hoursFromNow(1), end: () => hoursFromNow(2) },
    // One that has begun keeps its start.
    "PUT /api/maintenance/{id}": { ...covered, start: noValue, end: noValue },
    "POST /api/announcements": announcement,
    "PUT /api/announcements/{id}": announcement,
  };
  const together = (body: Record<string, unknown>) => {
    if (body["type"] !== "heartbeat") return;
    for (const name of ["cron", "timeZone", "minRuntime"]) delete body[name];
    body["every"] = 5;
    if (body["slug"]) body["slug"] = uniqueName("fuzz");
  };
  /** The monitor reads only one of the formats that the document lists. */
  const generic = (body: Record<string, unknown>) => {
    if (Array.isArray(body) || "title" in body) return;
    for (const name of Object.keys(body)) delete body[name];
    body["title"] = uniqueName("fuzz");
  };
  /** A service level has either monitors or a tag. */
  const tagged = (body: Record<string, unknown>) => {
    delete body["targets"];
    body["tag"] = "fuzz";
  };
  const withTag = (body: Record<string, unknown>) => void (body["tag"] = "fuzz");
  const ofPath: Record<string, typeof together> = {
    "/api/inbound/{token}": generic,
    "/api/reports": withTag,
    "/api/reports/{id}": withTag,
    "/api/slos": tagged,
  };
  return ({ method, path }) => ({
    byName: { ...everywhere, ...byOperation[`${method} ${path}`] },
    together: ofPath[path] ?? together,
  });
}
