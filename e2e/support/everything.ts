import { setInterval } from "node:timers/promises";
import { type Api, apiOf } from "@sonde/testing/api";
import { addApp } from "./factors.ts";
import { createVictim } from "./victims.ts";
import { startReporting } from "./reporting-agent.ts";

type WithId<Noun extends string> = Record<Noun, { id: number }>;

export type Everything = {
  channelId: number;
  /** A monitor whose target requires its sealed header. */
  secretMonitorId: number;
};

const nouns = [
  "/api/users",
  "/api/agents/tokens/",
  "/api/agents",
  "/api/notifications/templates",
  "/api/on-call/policies",
  "/api/on-call/schedules",
  "/api/reports",
  "/api/announcements",
  "/api/keys",
  "/api/service-accounts",
  "/api/sign-in/providers",
  "/api/sources",
  "/api/pages",
];
const password = "correct horse battery";

/**
 * Fills an installation with one object of each kind, checks, samples, pings, and an incident with its alert. Then
 * pauses everything that changes without a request, so repeated reads return the same data.
 */
export async function createEverything(url: string, api: Api, targetUrl: string, secret: string): Promise<Everything> {
  const channel = {
    name: "Hook",
    type: "webhook",
    config: { url: targetUrl, secret, headers: [{ name: "X-Token", value: secret }] },
  };
  const { channel: hook } = await api.send<WithId<"channel">>("POST", "/api/notifications/channels", channel);
  for (const scope of ["global-monitor", "global-agent"]) {
    await api.send("PUT", `/api/notifications/settings/${scope}`, { enabled: true, channels: [hook.id] });
  }
  const agent = await startReporting(url, api, "rack 1", 50);
  const headers = [{ name: "Authorization", value: secret }];
  const secretMonitor = { name: "With a secret", url: targetUrl, headers, tags: ["kept"], note: "Call **Ada**" };
  const { monitor } = await api.send<WithId<"monitor">>("POST", "/api/monitors", secretMonitor);
  for (const [index, path] of nouns.entries()) {
    await createVictim(api, path, { name: `Thing ${index}`, password, targetUrl });
  }
  // Stop it early, because the wait below is for it to go offline.
  agent.stop();
  const [start, end] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  await api.send("POST", "/api/maintenance", { name: "Planned", monitors: [monitor.id], start, end });
  await api.send("POST", "/api/silences", { target: { type: "monitor", id: monitor.id }, minutes: 10_080 });
  await api.send("PUT", "/api/status/config", { title: "All of it", monitors: [monitor.id] });
  await pingHeartbeat(api);
  await receiveAlert(api);
  await addFactor(url, api);
  const incident = await createVictim(api, "/api/incidents", { name: "Down", password, targetUrl });
  await api.send("POST", `/api/incidents/${incident}/acknowledge`, { note: "On it" });
  await until(async () => (await deliveries(api)).some(({ status }) => status === "delivered"));
  await api.send("POST", `/api/monitors/${monitor.id}/check`);
  // Paused monitors and offline agents no longer change.
  await api.send("POST", "/api/monitors/bulk", { filter: {}, action: "pause" });
  // The closing of the external alert is decided after the pause.
  await until(async () => (await deliveries(api)).some(({ kind }) => kind === "resolved"));
  await until(async () => {
    const { agents } = await api.get<{ agents: { name: string; status: string }[] }>("/api/agents");
    return agents.some(({ name, status }) => name === "rack 1" && status === "offline");
  });
  await until(async () => (await deliveries(api)).every(({ status }) => status !== "pending"));
  return { channelId: hook.id, secretMonitorId: monitor.id };
}

const deliveries = async (api: Api) =>
  (await api.get<{ deliveries: { status: string; kind: string }[] }>("/api/notifications/deliveries")).deliveries;

async function pingHeartbeat(api: Api): Promise<void> {
  const heartbeat = { name: "Nightly", type: "heartbeat", every: 60 };
  const { monitor } = await api.send<{ monitor: { id: number; pingUrl: string } }>("POST", "/api/monitors", heartbeat);
  await fetch(`${monitor.pingUrl}/start`);
  await fetch(monitor.pingUrl, { method: "POST", body: "copied 3 files" });
  await until(async () => {
    const { pings } = await api.get<{ pings: unknown[] }>(`/api/monitors/${monitor.id}/pings`);
    return pings.length === 2;
  });
}

async function receiveAlert(api: Api): Promise<void> {
  const input = { name: "Prometheus", type: "inbound", format: "generic", closeAfter: 60 };
  const { monitor } = await api.send<{ monitor: { inboundUrl: string } }>("POST", "/api/monitors", input);
  const body = JSON.stringify({ title: "Slow queries", severity: "critical", labels: { host: "db-1" } });
  await until(async () => {
    const answer = await fetch(monitor.inboundUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return answer.status === 202;
  });
}

async function addFactor(url: string, api: Api): Promise<void> {
  const account = { username: "vera", password };
  await api.send("POST", "/api/users", account);
  const { token } = await apiOf(url).send<{ token: string }>("POST", "/api/auth/login", account);
  await addApp(apiOf(url, token));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for await (const _ of setInterval(250)) if (await holds()) return;
}
