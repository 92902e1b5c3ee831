import type { Api } from "@sonde/testing/api";

/** A rotation of the first account. */
export const rotation = {
  timeZone: "UTC",
  layers: [{ members: [1], every: { n: 1, unit: "day" }, handoff: { time: "09:00" }, from: "2026-01-01" }],
};

type WithId<Noun extends string> = Record<Noun, { id: number }>;

/** Creates an object for requests to change or delete. Returns what its path contains: an id, name or slug. */
export async function createVictim(
  api: Api,
  path: string,
  { name, password, targetUrl }: { name: string; password: string; targetUrl: string },
): Promise<number | string> {
  if (path.startsWith("/api/users")) {
    return (await api.send<WithId<"user">>("POST", "/api/users", { username: name, password })).user.id;
  }
  if (path.startsWith("/api/agents/tokens/")) {
    await api.send("POST", "/api/agents/tokens", { name });
    const { tokens } = await api.get<{ tokens: { id: number; name?: string }[] }>("/api/agents/tokens");
    return tokens.find((token) => token.name === name)!.id;
  }
  if (path.startsWith("/api/agents") || path.startsWith("/api/notifications/settings/agent")) {
    const { token } = await api.send<{ token: string }>("POST", "/api/agents/tokens", { name });
    const host = { hostname: name, ipAddresses: ["192.0.2.1"], os: "Debian", version: "1", interval: 60 };
    return (await api.send<{ agentId: number }>("POST", "/agent/v1/register", { token, ...host })).agentId;
  }
  if (path.startsWith("/api/notifications/channels")) {
    const channel = { name, type: "webhook", config: { url: targetUrl } };
    return (await api.send<WithId<"channel">>("POST", "/api/notifications/channels", channel)).channel.id;
  }
  if (path.startsWith("/api/on-call/drills")) {
    const channel = await createVictim(api, "/api/notifications/channels", { name, password, targetUrl });
    const drill = { target: `channel:${channel}` };
    return (await api.send<WithId<"drill">>("POST", "/api/on-call/drills", drill)).drill.id;
  }
  if (path.startsWith("/api/slos")) {
    const slo = { name, tag: "shop", objective: 99.9, window: "month" };
    return (await api.send<WithId<"slo">>("POST", "/api/slos", slo)).slo.id;
  }
  if (path.startsWith("/api/reports")) {
    const report = { name, tag: "nothing", every: "month" };
    return (await api.send<WithId<"report">>("POST", "/api/reports", report)).report.id;
  }
  if (path.startsWith("/api/on-call/policies")) {
    const channel = await createVictim(api, "/api/notifications/channels", { name, password, targetUrl });
    const policy = { name, steps: [{ after: 5, notify: [`channel:${channel}`] }] };
    return (await api.send<WithId<"policy">>("POST", "/api/on-call/policies", policy)).policy.id;
  }
  if (path.startsWith("/api/notifications/templates")) {
    const template = { name, kind: "down", subject: "{{name}}", content: "{{error}}" };
    return createOne(
      api,
      "/api/notifications/templates",
      async (templates) => (await api.send<WithId<"template">>("POST", templates, template)).template.id,
    );
  }
  if (path.startsWith("/api/on-call/schedules")) {
    return createOne(
      api,
      "/api/on-call/schedules",
      async (schedules) => (await api.send<WithId<"schedule">>("POST", schedules, { name, ...rotation })).schedule.id,
    );
  }
  if (path.startsWith("/api/announcements")) {
    // Open announcements are limited, so create a resolved one.
    const announcement = { title: name, impact: "minor", state: "resolved" };
    return (await api.send<WithId<"announcement">>("POST", "/api/announcements", announcement)).announcement.id;
  }
  if (path.startsWith("/api/maintenance")) {
    const { monitor } = await api.send<WithId<"monitor">>("POST", "/api/monitors", { name, url: targetUrl });
    // Planned windows are limited, so this one ends soon.
    const [start, end] = [0, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const window = { name, monitors: [monitor.id], start, end };
    return (await api.send<WithId<"maintenance">>("POST", "/api/maintenance", window)).maintenance.id;
  }
  if (path.startsWith("/api/silences")) {
    const { monitor } = await api.send<WithId<"monitor">>("POST", "/api/monitors", { name, url: targetUrl });
    const silence = { target: { type: "monitor", id: monitor.id }, minutes: 5 };
    return (await api.send<WithId<"silence">>("POST", "/api/silences", silence)).silence.id;
  }
  if (path.startsWith("/api/keys")) {
    return (await api.send<WithId<"key">>("POST", "/api/keys", { name, scopes: ["read"] })).key.id;
  }
  if (path.startsWith("/api/service-accounts")) {
    return (await api.send<WithId<"account">>("POST", "/api/service-accounts", { name, role: "viewer" })).account.id;
  }
  if (path.startsWith("/api/sign-in/providers")) {
    const slug = name.toLowerCase().replaceAll(" ", "-").slice(-40).replace(/^-/, "");
    const provider = { slug, name, issuer: "https://id.example.com", clientId: "sonde", clientSecret: password };
    return createOne(api, "/api/sign-in/providers", (providers) =>
      api.send("POST", providers, provider).then(() => slug),
    );
  }
  if (path.startsWith("/api/sources")) {
    const source = name.toLowerCase().replaceAll(" ", "-");
    await api.send("POST", "/api/apply", { source, config: { monitors: { [source]: { url: targetUrl } } } });
    return source;
  }
  if (path.startsWith("/api/pages")) return createPage(api, name);
  if (path.endsWith("/ping-url")) {
    const heartbeat = { name, type: "heartbeat", every: 60 };
    return (await api.send<WithId<"monitor">>("POST", "/api/monitors", heartbeat)).monitor.id;
  }
  // Requests for badges change nothing, so all share one monitor.
  if (path.startsWith("/api/status/badges")) return (shown ??= shownMonitor(api, { name, url: targetUrl }));
  // Acknowledging or snoozing does not affect the next request, so all share one incident.
  if (path.startsWith("/api/incidents")) return (incident ??= incidentOf(api, name));
  return (await api.send<WithId<"monitor">>("POST", "/api/monitors", { name, url: targetUrl })).monitor.id;
}

const maxOwn = 20;
const made: Record<string, (number | string)[]> = {};

/** Creates an entry of a list with a limit. Deletes entries of others, and the oldest of its own. */
async function createOne<Id extends number | string>(
  api: Api,
  path: string,
  make: (path: string) => Promise<Id>,
): Promise<Id> {
  const own = (made[path] ??= []);
  const lists = Object.values(await api.get<Record<string, unknown>>(path)).filter(Array.isArray);
  const existing = (lists.flat() as { id?: number; slug?: string }[]).map(({ id, slug }) => id ?? slug);
  const leaving = existing.filter((id) => id !== undefined && id !== "default" && !own.includes(id));
  leaving.push(...own.splice(0, Math.max(0, own.length - maxOwn)));
  // A request may already have deleted it.
  for (const old of leaving) await api.send("DELETE", `${path}/${old}`).catch(() => undefined);
  const id = await make(path);
  own.push(id);
  return id;
}

function createPage(api: Api, title: string): Promise<string> {
  const slug = title.toLowerCase().replaceAll(/[^a-z\d]+/g, "-");
  return createOne(api, "/api/pages", (pages) => api.send("POST", pages, { slug, title }).then(() => slug));
}

let shown: Promise<number> | undefined;

/** Creates a monitor and waits until the public page shows it. */
async function shownMonitor(api: Api, input: { name: string; url: string }): Promise<number> {
  const { monitor } = await api.send<WithId<"monitor">>("POST", "/api/monitors", input);
  await api.send("PUT", "/api/status/config", { monitors: [monitor.id], groups: [] });
  for (;;) {
    const { status } = await api.get<{ status: { monitors: { id: number }[] } }>("/api/status");
    if (status.monitors.some(({ id }) => id === monitor.id)) return monitor.id;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
}

let incident: Promise<string> | undefined;

/** Returns the incident of a monitor whose port is closed. */
async function incidentOf(api: Api, name: string): Promise<string> {
  const down = { name, type: "tcp", host: "127.0.0.1", port: 1, retries: 0 };
  const { monitor } = await api.send<WithId<"monitor">>("POST", "/api/monitors", down);
  for (;;) {
    const path = `/api/incidents?target=monitor:${monitor.id}`;
    const { incidents } = await api.get<{ incidents: { id: string }[] }>(path);
    if (incidents[0] !== undefined) return incidents[0].id;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
}
