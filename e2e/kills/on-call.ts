import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { WebhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import type { Call } from "./http.ts";

/** Minutes before each step of the policy. All steps are repeated once. */
const afterMinutes = [0, 1];
const times = 2;
/** A monitor has at most 500 open alerts. */
const maxAlerts = 450;
const [patienceMs, pollMs, everyMs] = [300_000, 1000, 1500];
/** A notifier that was killed learns of an acknowledgement after its restart. */
const heardMs = 15_000;

export type OnCall = Awaited<ReturnType<typeof startOnCall>>;

/** Sends alerts from elsewhere, whose policy notifies one webhook a step, and acknowledges a third of them. */
export async function startOnCall(call: Call, token: string) {
  const hooks = await receiveHooks();
  const create = async <Body>(method: string, path: string, input: unknown) => {
    const { status, body } = await call<Body>(method, path, input, token);
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const notify = await Promise.all(
    afterMinutes.map(async (_, step) => {
      const config = { url: `${hooks.url}/${step}` };
      const input = { type: "webhook", name: `Step ${step}`, config };
      const { channel } = await create<{ channel: { id: number } }>("POST", "/api/notifications/channels", input);
      return [`channel:${channel.id}`];
    }),
  );
  const steps = afterMinutes.map((after, step) => ({ after, notify: notify[step] }));
  const policy = { name: "Kills", steps, repeat: times - 1 };
  const { policy: made } = await create<{ policy: { id: number } }>("POST", "/api/on-call/policies", policy);
  const inbound = { type: "inbound", name: "Elsewhere", format: "generic" };
  const { monitor } = await create<{ monitor: { id: number; inboundUrl: string } }>("POST", "/api/monitors", inbound);
  await create("PUT", `/api/notifications/settings/monitor/${monitor.id}`, {
    enabled: true,
    channels: [],
    policyId: made.id,
  });
  const path = new URL(monitor.inboundUrl).pathname;
  const alerts = new Set<string>();
  const acknowledgedAtMs = new Map<string, number>();

  const acknowledge = async (id: string) => {
    while ((await call("POST", `/api/incidents/${id}/acknowledge`, {}, token)).status !== 200) await pause();
    acknowledgedAtMs.set(id, Date.now());
  };
  const isComplete = (title: string) => {
    const messages = hooks.byTitle.get(title) ?? [];
    if (acknowledgedAtMs.has(messages[0]?.incident ?? "")) return true;
    return new Set(messages.map(({ id }) => id)).size >= afterMinutes.length * times;
  };

  const write = async () => {
    const title = `Alert ${alerts.size + 1}`;
    while ((await call("POST", path, { title })).status !== 202) await pause();
    alerts.add(title);
    const notified = [...hooks.byTitle.values()].flatMap(([first]) => first?.incident ?? []);
    const waiting = notified.filter((id) => !acknowledgedAtMs.has(id));
    if (randomInt(3) === 0 && waiting.length > 0) await acknowledge(waiting[randomInt(waiting.length)] ?? "");
  };
  let stopping = false;
  const writing = (async () => {
    for (; !stopping && alerts.size < maxAlerts; await pause(everyMs)) await write();
  })();

  return {
    async stop() {
      stopping = true;
      await writing;
    },
    /** Waits for the last steps, and describes steps that notified not exactly once. */
    async compare(): Promise<string[]> {
      for (let waitedMs = 0; waitedMs < patienceMs && ![...alerts].every(isComplete); waitedMs += pollMs) await pause();
      await hooks.close();
      return [...alerts].flatMap((title) => {
        const messages = hooks.byTitle.get(title) ?? [];
        const [incident = "none", ...others] = new Set(messages.map((message) => message.incident));
        const endMs = acknowledgedAtMs.get(incident);
        const late = messages.filter(({ decidedAtMs }) => endMs !== undefined && decidedAtMs > endMs + heardMs);
        const wrong = afterMinutes.flatMap((_, step) => {
          const count = new Set(messages.flatMap((message) => (message.step === step ? [message.id] : []))).size;
          const isRight = endMs === undefined ? count === times : count <= times;
          return isRight ? [] : [`${title}, incident ${incident}: step ${step} notified ${count} times`];
        });
        return [
          ...wrong,
          ...others.map((other) => `${title} opened a second incident ${other}`),
          ...late.map(({ step }) => `${title}: step ${step} notified after the acknowledgement`),
        ];
      });
    },
    counts() {
      const messages = [...hooks.byTitle.values()].flat();
      const distinct = new Set(messages.map(({ id }) => id)).size;
      return `${alerts.size}; ${acknowledgedAtMs.size}; ${distinct}; ${messages.length - distinct}`;
    },
  };
}

const pause = (ms = pollMs) => new Promise((resolve) => setTimeout(resolve, ms));

type Message = { step: number; id: string; incident: string; decidedAtMs: number };

/** Records the alerts that arrive at `/<step>`, by title. */
async function receiveHooks() {
  const byTitle = new Map<string, Message[]>();
  const server = createServer(async (request, response) => {
    const { timestamp, data } = (await json(request)) as WebhookEvent;
    const { title, incident } = data;
    const message = {
      step: Number(request.url?.slice(1)),
      id: String(request.headers["webhook-id"]),
      incident: incident.id,
      decidedAtMs: Date.parse(timestamp),
    };
    const name = /Alert \d+/.exec(title)?.[0] ?? title;
    byTitle.set(name, [...(byTitle.get(name) ?? []), message]);
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    byTitle,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
