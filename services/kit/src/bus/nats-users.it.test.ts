import { connect } from "@nats-io/transport-node";
import { PermissionViolationError } from "@nats-io/nats-core";
import { client, serve } from "./rpc.ts";
import { type Bus, connectBus } from "./connect.ts";
import { silentLog } from "../service/log.ts";
import { watchBucket } from "./follow.ts";
import { type BusUser, busUsers, permissionsOf } from "@sonde/proto/permissions";
import { serviceNames } from "@sonde/proto/services";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { authContract } from "@sonde/proto/rpc/auth";
import { healthContract } from "@sonde/proto/rpc/health";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { reportsContract } from "@sonde/proto/rpc/reports";
import { statusContract } from "@sonde/proto/rpc/status";
import { probesContract } from "@sonde/proto/rpc/probes";
import { buckets } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { newUserPasswords } from "./nats-users.ts";

const passwords = newUserPasswords(["eu1", "us1"]);
let nats: EmbeddedServer;
let admin: Bus;

beforeAll(async () => {
  nats = await startNats({ password: "admin", users: passwords });
  admin = await connectBus({ url: nats.url, name: "admin", log: silentLog, shrink: 64 });
});
afterAll(async () => {
  await admin.close();
  await nats.stop();
});

const urlOf = (user: BusUser) => `nats://${user}:${passwords[user]}@127.0.0.1:${nats.port}`;
const method = (service: { name: string }, scope?: string) => subjects.rpc(service.name, "Any", scope);
const everybody = busUsers(["eu1", "us1"]);
const runners: BusUser[] = ["probe-runner-eu1", "probe-runner-us1"];
const others = serviceNames.filter((name) => name !== "notifier");
const none: BusUser[] = [];

/** Users that may publish to each subject. */
const publishing: Record<string, BusUser[]> = {
  [method(authContract)]: ["gateway"],
  [subjects.rpc(authContract.name, "getUser")]: ["agent-ingest", "gateway"],
  [method(monitorsContract)]: ["gateway"],
  [method(agentsContract)]: ["gateway"],
  [method(metricsContract)]: ["gateway"],
  [method(notificationsContract)]: ["gateway"],
  [subjects.rpc(incidentsContract.name, "listEvents", "monitors")]: ["gateway", "notifier"],
  [subjects.rpc(incidentsContract.name, "listEvents", "agents")]: ["gateway", "notifier"],
  [subjects.rpc(incidentsContract.name, "getIncident", "agents")]: ["gateway", "notifier", "status-page"],
  [subjects.rpc(metricsContract.name, "listChecks")]: ["gateway", "notifier"],
  [method(reportsContract)]: ["gateway"],
  [subjects.rpc(metricsContract.name, "countSlots")]: ["monitors", "gateway", "notifier"],
  [subjects.rpc(metricsContract.name, "checksAroundFailures")]: ["monitors", "gateway"],
  [subjects.rpc(monitorsContract.name, "replayIncidents")]: ["gateway", "notifier"],
  [subjects.rpc(metricsContract.name, "agentDays")]: ["gateway", "notifier", "status-page"],
  [subjects.rpc(monitorsContract.name, "listMonitors")]: ["gateway", "notifier", "status-page"],
  [subjects.rpc(agentsContract.name, "listAgents")]: ["monitors", "gateway", "notifier", "status-page"],
  [subjects.rpc(monitorsContract.name, "listSharedCauses")]: ["gateway", "notifier"],
  [subjects.rpc(statusContract.name, "getPage")]: ["gateway", "notifier"],
  [subjects.rpc(incidentsContract.name, "listIncidents", "agents")]: ["gateway", "notifier", "status-page"],
  [subjects.rpc(incidentsContract.name, "acknowledgeIncident", "monitors")]: ["gateway", "notifier"],
  [method(probesContract, "default")]: ["monitors"],
  [subjects.rpc(monitorsContract.name, "summary")]: ["gateway", "notifier"],
  ...Object.fromEntries(others.map((name) => [subjects.rpc(healthContract.name, "check", name), ["notifier"]])),
  "results.3": none,
  "results.3.eu1": ["probe-runner-eu1"],
  "results.3.us1": ["probe-runner-us1"],
  "results.3.eu1.more": none,
  "samples.3": ["agent-ingest"],
  "events.monitor.7": ["monitors"],
  "events.agent.7": ["agent-ingest"],
  "events.incident.m7": ["monitors", "agent-ingest"],
  "events.delivery.7": ["notifier"],
  "dead.RESULTS": ["monitors", "metrics"],
  "dead.SAMPLES": ["agent-ingest", "metrics"],
  "live.monitors": ["monitors"],
  "live.agents": ["agent-ingest"],
  "heartbeat.auth": ["auth"],
  "heartbeat.gateway": ["agent-ingest", "gateway"],
  "heartbeats.runners.eu1": ["probe-runner-eu1"],
  "heartbeats.runners.us1": ["probe-runner-us1"],
  "heartbeats.owners.monitors": ["monitors"],
  "heartbeats.owners.agent-ingest": ["agent-ingest"],
  "$KV.definitions.eu1.7": ["monitors"],
  "$KV.monitors.7": ["monitors"],
  "$KV.timelines.7": ["monitors"],
  "$KV.runners.abc": ["monitors"],
  "$KV.sessions.abc": ["auth"],
  "$KV.agents.abc": ["agent-ingest"],
  "$KV.thresholds.7": ["notifier"],
  "$KV.status.default.page": ["status-page"],
  "$KV.maintenance.7": ["status-page"],
  "$JS.API.INFO": everybody,
  "$JS.API.STREAM.CREATE.RESULTS": ["monitors"],
  "$JS.API.STREAM.CREATE.KV_sessions": ["auth"],
  "$JS.API.STREAM.CREATE.ANOTHER": none,
  "$JS.API.STREAM.UPDATE.RESULTS": none,
  "$JS.API.STREAM.UPDATE.KV_sessions": none,
  "$JS.API.STREAM.DELETE.KV_sessions": none,
  "$JS.API.STREAM.PURGE.KV_sessions": ["auth"],
  "$JS.API.STREAM.PURGE.KV_monitors": none,
  "$JS.API.STREAM.MSG.GET.KV_sessions": ["auth", "gateway"],
  "$JS.API.DIRECT.GET.KV_sessions.$KV.sessions.abc": ["auth", "gateway"],
  "$JS.API.CONSUMER.CREATE.RESULTS": ["monitors"],
  "$JS.API.CONSUMER.CREATE.RESULTS.mine": ["monitors"],
  "$JS.API.CONSUMER.CREATE.RESULTS.metrics": ["metrics"],
  "$JS.API.CONSUMER.CREATE.RESULTS.metrics.results.1": ["metrics"],
  "$JS.API.CONSUMER.DURABLE.CREATE.RESULTS.metrics": none,
  "$JS.API.CONSUMER.MSG.NEXT.RESULTS.metrics": ["metrics"],
  "$JS.API.CONSUMER.DELETE.RESULTS.metrics": ["metrics"],
  "$JS.ACK.RESULTS.metrics.1.1.1.1.0": ["metrics"],
  "$JS.API.CONSUMER.CREATE.SAMPLES.mine": ["agent-ingest"],
  "$JS.API.CONSUMER.CREATE.SAMPLES.metrics": ["metrics"],
  "$JS.API.CONSUMER.CREATE.EVENTS.mine": ["gateway", "metrics", "notifier", "status-page"],
  "$JS.API.CONSUMER.CREATE.DEAD.mine": none,
  "$JS.API.CONSUMER.CREATE.KV_monitors.mine": ["monitors"],
  "$JS.API.CONSUMER.CREATE.KV_definitions": none,
  "$JS.API.CONSUMER.CREATE.KV_definitions.mine": ["monitors"],
  "$JS.API.CONSUMER.CREATE.KV_definitions.mine.>": ["monitors"],
  "$JS.API.CONSUMER.CREATE.KV_definitions.mine.$KV.definitions.>": ["monitors"],
  "$JS.API.CONSUMER.CREATE.KV_definitions.mine.$KV.definitions.*.7": ["monitors"],
  "$JS.API.CONSUMER.CREATE.KV_definitions.mine.$KV.definitions.eu1.>": ["monitors", "probe-runner-eu1"],
  "$JS.API.CONSUMER.DURABLE.CREATE.KV_definitions.mine": none,
  "$JS.API.STREAM.MSG.GET.KV_definitions": ["monitors"],
  "$JS.API.DIRECT.GET.KV_definitions": ["monitors"],
  "$JS.API.DIRECT.GET.KV_definitions.$KV.definitions.eu1.7": ["monitors"],
  "$JS.API.STREAM.CREATE.KV_definitions": ["monitors"],
  "$JS.API.STREAM.UPDATE.KV_definitions": none,
  "$JS.API.STREAM.SNAPSHOT.KV_definitions": none,
  "$JS.API.CONSUMER.NAMES.KV_definitions": none,
  "$JS.API.CONSUMER.LIST.KV_definitions": none,
  "$JS.API.CONSUMER.CREATE.KV_timelines.mine": ["monitors", "metrics"],
  "$JS.API.CONSUMER.CREATE.KV_runners.mine": ["monitors", "gateway"],
  "$JS.API.CONSUMER.CREATE.KV_sessions.mine": ["auth", "gateway"],
  "$JS.API.CONSUMER.CREATE.KV_agents.mine": ["agent-ingest", "metrics"],
  "$JS.API.CONSUMER.CREATE.KV_thresholds.mine": ["agent-ingest", "notifier"],
  "$JS.API.CONSUMER.CREATE.KV_status.mine": ["gateway", "status-page"],
  "$JS.API.CONSUMER.CREATE.KV_maintenance.mine": ["monitors", "gateway", "metrics", "notifier", "status-page"],
  "_INBOX.auth.forged": ["auth", "notifier"],
  "_INBOX.agent-ingest.forged": ["auth", "agent-ingest"],
  "_INBOX.gateway.forged": ["auth", "monitors", "agent-ingest", "metrics", "gateway", "notifier", "status-page"],
  "_INBOX.notifier.forged": everybody,
  "_INBOX.status-page.forged": ["monitors", "agent-ingest", "metrics", "notifier", "status-page"],
  "_INBOX.monitors.forged": ["monitors", "agent-ingest", "metrics", ...runners],
  "_INBOX.probe-runner-eu1.forged": ["probe-runner-eu1"],
  "$SYS.REQ.SERVER.PING": none,
  "$SYS._INBOX.server.forged": ["monitors"],
  "anything.else": none,
};

/** Users that may subscribe to each subject. */
const subscribing: Record<string, BusUser[]> = {
  ">": none,
  "*": none,
  "$KV.>": none,
  "$JS.>": none,
  "rpc.>": none,
  "$SYS.>": none,
  [subjects.authCallout]: ["monitors"],
  "_INBOX.>": none,
  "_INBOX.*.>": none,
  "_INBOX.probe-runner.>": none,
  "results.>": none,
  "samples.*": none,
  "events.>": none,
  [subjects.rpc(authContract.name, "*")]: ["auth"],
  [subjects.rpc(monitorsContract.name, "*")]: ["monitors"],
  [subjects.rpc(incidentsContract.name, "*", "monitors")]: ["monitors"],
  [subjects.rpc(incidentsContract.name, "*", "agents")]: ["agent-ingest"],
  [subjects.rpc(agentsContract.name, "*")]: ["agent-ingest"],
  [subjects.rpc(metricsContract.name, "*")]: ["metrics"],
  [subjects.rpc(notificationsContract.name, "*")]: ["notifier"],
  [subjects.rpc(reportsContract.name, "*")]: ["notifier"],
  [subjects.rpc(statusContract.name, "*")]: ["status-page"],
  [subjects.rpc(probesContract.name, "*", "*")]: none,
  [subjects.rpc(probesContract.name, "*", "eu1")]: ["probe-runner-eu1"],
  ...Object.fromEntries(
    serviceNames.map((name) => [
      subjects.rpc(healthContract.name, "*", name),
      name === "probe-runner" ? runners : [name],
    ]),
  ),
  "live.monitors": ["monitors", "gateway"],
  "live.agents": ["gateway"],
  "heartbeat.auth": ["gateway"],
  "heartbeat.gateway": ["agent-ingest"],
  "heartbeats.runners.*": ["monitors"],
  "heartbeats.runners.eu1": ["monitors", "probe-runner-eu1"],
  "heartbeats.owners.monitors": ["monitors"],
  "heartbeats.owners.agent-ingest": ["agent-ingest"],
  ...Object.fromEntries(everybody.map((name) => [`_INBOX.${name}.>`, [name]])),
};

const allowedOf = (matrix: Record<string, BusUser[]>, user: BusUser) =>
  Object.keys(matrix).filter((subject) => matrix[subject]?.includes(user));

/** Rejected for every user. */
const last = "the.last.one";

describe.each(everybody)("%s", (service) => {
  /** Subjects that the server did not reject. */
  async function tried(subjectsToTry: string[], attempt: "publish" | "subscribe"): Promise<string[]> {
    const nc = await connect({ servers: nats.url, user: service, pass: passwords[service] });
    const refused = new Set<string>();
    const all = Promise.withResolvers<void>();
    const listening = (async () => {
      for await (const status of nc.status()) {
        if (status.type === "error" && status.error instanceof PermissionViolationError) {
          refused.add(status.error.subject);
          if (status.error.subject === last) all.resolve();
        }
      }
    })();
    for (const subject of [...subjectsToTry, last]) {
      if (attempt === "publish") nc.publish(subject);
      else nc.subscribe(subject, { callback: () => {} });
    }
    // Rejections arrive in order: after the last one, all have arrived.
    await all.promise;
    await nc.close();
    await listening;
    return subjectsToTry.filter((subject) => !refused.has(subject));
  }

  test("may publish to its own subjects only", async () => {
    expect(await tried(Object.keys(publishing), "publish")).toEqual(allowedOf(publishing, service));
  });

  test("may subscribe to its own subjects only", async () => {
    expect(await tried(Object.keys(subscribing), "subscribe")).toEqual(allowedOf(subscribing, service));
  });
});

test("permissions use the method subjects of the contracts", () => {
  expect(permissionsOf("monitors").subscribe.allow).toContain(subjects.rpc(monitorsContract.name, "*"));
  expect(permissionsOf("probe-runner-eu1").subscribe.allow).toContain(subjects.rpc(probesContract.name, "*", "eu1"));
});

test("a service connects, finds its streams and serves permitted callers", async () => {
  const [auth, gateway] = await Promise.all(
    (["auth", "gateway"] as const).map((name) => connectBus({ url: urlOf(name), name, log: silentLog })),
  );
  if (auth === undefined || gateway === undefined) throw new Error("not connected");
  const getUser = async ({ id }: { id: number }) => ({
    id,
    username: "ada",
    role: "user",
    status: "active",
    createdAt: "2026-01-31T12:00:00.000Z",
  });
  const served = await serve(auth, authContract, { getUser } as never);
  expect(await client(gateway, authContract).getUser({ id: 3 })).toMatchObject({ id: 3, username: "ada" });

  await (await auth.kv(buckets.sessions)).put("abc", "session");
  const seen = Promise.withResolvers<string>();
  const watching = watchBucket(gateway, { bucket: buckets.sessions, onEntry: ({ key }) => seen.resolve(key) });
  expect(await seen.promise).toBe("abc");
  await watching.stop();
  await served.stop();
  await Promise.all([auth.close(), gateway.close()]);
});

test("agent-ingest starts without the bucket of thresholds, and reads it when the notifier has created it", async () => {
  const bucket = buckets.thresholds;
  await admin.jsm.streams.delete(`KV_${bucket}`);
  const warn = vi.fn();
  const connectAs = (name: "agent-ingest" | "notifier") =>
    connectBus({ url: urlOf(name), name, log: { ...silentLog, warn }, shrink: 64 });
  const agents = await connectAs("agent-ingest");
  const seen: string[] = [];
  const missed = vi.spyOn(agents.jsm.streams, "info");
  const watching = watchBucket(agents, { bucket, mayBeMissing: true, onEntry: ({ key }) => void seen.push(key) });
  await vi.waitFor(() => expect(missed.mock.calls.length).toBeGreaterThan(1), { timeout: 30_000 });
  expect(warn).not.toHaveBeenCalled();
  const notifier = await connectAs("notifier");
  await (await notifier.kv(bucket)).put("global", new Uint8Array());
  await vi.waitFor(() => expect(seen).toEqual(["global"]), { timeout: 30_000 });
  await watching.stop();
  await Promise.all([agents.close(), notifier.close()]);
});
