import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { connectBus, publishFact } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { type Handlers, serve } from "@sonde/kit/bus/rpc";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import {
  EventSchema,
  type Event,
  MonitorFiguresBatchSchema,
  type MonitorCheckingSchema,
  type MonitorFiguresSchema,
} from "@sonde/proto/gen/events/v1/events";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { statusContract } from "@sonde/proto/rpc/status";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { authContract } from "@sonde/proto/rpc/auth";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { Role } from "@sonde/proto/http/users";
import { buckets } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { tokenHash } from "../sessions/sessions.ts";
import { atMs, createFakes } from "./fakes.ts";
import type { Principal } from "./principals.ts";

const year3000 = Date.UTC(3000, 0);

/** Fakes on a real bus, with sessions, events and heartbeats. */
export async function startFakeSystem(natsUrl: string) {
  const bus = await connectBus({ url: natsUrl, name: "fakes", log: silentLog, shrink: 64 });
  const fakes = createFakes();
  const sessions = new Map<string, Awaited<ReturnType<Handlers<typeof authContract>["resolveSession"]>>>();
  const auth: Handlers<typeof authContract> = {
    ...fakes.handlers.auth,
    resolveSession: async (request, call) => {
      const known = sessions.get(request.tokenHash);
      if (known !== undefined) fakes.calls.push({ method: "resolveSession", request, call });
      return known ?? fakes.handlers.auth.resolveSession({ ...request, tokenHash: "unknown" }, call);
    },
    logout: async (request) => {
      sessions.delete(request.tokenHash);
      await (await bus.kv(buckets.sessions)).delete(request.tokenHash);
      return {};
    },
  };
  const served = {
    auth: await serve(bus, authContract, auth),
    monitors: await serve(bus, monitorsContract, fakes.handlers.monitors),
    metrics: await serve(bus, metricsContract, fakes.handlers.metrics),
    agents: await serve(bus, agentsContract, fakes.handlers.agents),
    ofMonitors: await serve(bus, incidentsContract, fakes.handlers.incidents.monitors, { scope: "monitors" }),
    notifications: await serve(bus, notificationsContract, fakes.handlers.notifications),
    statusPage: await serve(bus, statusContract, fakes.handlers.statusPage),
    ofAgents: await serve(bus, incidentsContract, fakes.handlers.incidents.agents, { scope: "agents" }),
  };
  let beating = true;
  const timer = setInterval(() => beating && bus.nc.publish(subjects.authHeartbeat), 100);
  let sequence = 0;
  let keys = 0;

  return {
    bus,
    fakes,
    served,
    setBeating: (now: boolean) => void (beating = now),
    /** Writes a session like auth. @param isPublished false if only auth knows it yet */
    putSession: async ({ userId, username, token }: Principal, role: Role, isPublished = true) => {
      const session = { userId, username, role, expiresAtMs: year3000, userCreatedAtMs: atMs };
      sessions.set(tokenHash(token), session);
      const bytes = toBinary(SessionSchema, create(SessionSchema, session));
      if (isPublished) await (await bus.kv(buckets.sessions)).put(tokenHash(token), bytes);
    },
    putKey: async (
      owner: Principal,
      secret: string,
      scopes: readonly KeyScope[],
      expiresAtMs = year3000,
      allowFrom: string[] = [],
    ) => {
      const { userId, username, role } = owner;
      const key = { id: (keys += 1), scopes: [...scopes], role, allowFrom };
      const session = create(SessionSchema, { userId, username, expiresAtMs, userCreatedAtMs: atMs, key });
      if (expiresAtMs > Date.now()) sessions.set(tokenHash(secret), { ...session, role, key });
      await (await bus.kv(buckets.sessions)).put(tokenHash(secret), toBinary(SessionSchema, session));
    },
    endSession: async ({ token }: Principal) => {
      sessions.delete(tokenHash(token));
      await (await bus.kv(buckets.sessions)).delete(tokenHash(token));
    },
    publishEvent: async (fact: Event["fact"]) => {
      sequence += 1;
      const event = create(EventSchema, { id: `7:1:${sequence}:state`, atMs, fact });
      await publishFact(bus, subjects.event("monitor", 7), toBinary(EventSchema, event), { id: event.id });
    },
    publishFigures: async (figures: MessageInitShape<typeof MonitorFiguresSchema>) => {
      const batch = create(MonitorFiguresBatchSchema, { figures: [figures] });
      bus.nc.publish(subjects.liveMonitors, toBinary(MonitorFiguresBatchSchema, batch));
      await bus.nc.flush();
    },
    publishChecking: async (checking: MessageInitShape<typeof MonitorCheckingSchema>) => {
      const batch = create(MonitorFiguresBatchSchema, { checking: [checking] });
      bus.nc.publish(subjects.liveMonitors, toBinary(MonitorFiguresBatchSchema, batch));
      await bus.nc.flush();
    },
    /** Resolves at the next reconnect, when streams and buckets exist again. */
    reconnected: () => new Promise<void>((resolve) => void bus.onReconnect(resolve)),
    stop: async () => {
      clearInterval(timer);
      await bus.close();
    },
  };
}

export type FakeSystem = Awaited<ReturnType<typeof startFakeSystem>>;
