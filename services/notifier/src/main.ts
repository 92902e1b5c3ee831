import { client } from "@sonde/kit/bus/rpc";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { waitForMaintenance, watchMaintenance } from "@sonde/domain/maintenance/watch";
import { orUnavailable, retryUntilReady } from "@sonde/kit/postgres/database";
import { refuseUnknownKey } from "@sonde/kit/postgres/known-key";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { openServiceDatabase } from "@sonde/kit/postgres/service-database";
import { secretBox } from "@sonde/kit/secrets";
import { denied } from "@sonde/kit/service/config";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { type Foundation, startService } from "@sonde/kit/service/start";
import { startLoop } from "@sonde/kit/time/loop";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { auditContract } from "@sonde/proto/rpc/audit";
import { authContract } from "@sonde/proto/rpc/auth";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { onCallContract } from "@sonde/proto/rpc/on-call";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { reportsContract } from "@sonde/proto/rpc/reports";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { statusContract } from "@sonde/proto/rpc/status";
import { setTimeout as sleep } from "node:timers/promises";
import { migrations } from "../migrations/index.ts";
import { linksOf } from "./acknowledge/link.ts";
import { answerCall } from "./calls/answer.ts";
import { startCall } from "./calls/calls.ts";
import { applyNotifications } from "./apply/apply.ts";
import { startRetention } from "./alerts/retention.ts";
import { startTicks } from "./alerts/ticks.ts";
import { createEgress } from "@sonde/kit/egress/requests";
import { channelOf } from "./channels/registry.ts";
import { pushIdentityReader } from "./channels/push/vapid.ts";
import { sealChannels, sealedTexts, sealOpenSecrets } from "./channels/config.ts";
import { type Config, readConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { type DeliveryContext, publishChanges } from "./deliveries/delivery-context.ts";
import { evidenceReader } from "./deliveries/evidence.ts";
import { channelTester } from "./deliveries/test.ts";
import { startSender } from "./deliveries/sender.ts";
import { endpoints } from "./endpoints.ts";
import { startEvents } from "./events/start.ts";
import { quietAt } from "./incidents/next-reminder.ts";
import { changesFor } from "./incidents/recorded-changes.ts";
import { notificationsOf } from "./incidents/story.ts";
import { onCallEndpoints } from "./on-call/endpoints.ts";
import { runEndpoints } from "./on-call/drills/run-endpoints.ts";
import { createPeople } from "./on-call/people.ts";
import { acknowledgeRun } from "./on-call/drills/drills.ts";
import { writeNotice } from "./on-call/handoff-message.ts";
import { removeGoneDevices } from "./on-call/gone-devices.ts";
import { quietNow } from "./on-call/quiet-now.ts";
import { renderMessage } from "./messages/render.ts";
import { sampleFacts } from "./messages/sample.ts";
import { createNoise } from "./noise/noise.ts";
import { createRehearsals } from "./rehearsal/endpoint.ts";
import { reportKeyReader } from "./reports/key.ts";
import { writeReportNotice } from "./reports/mails.ts";
import { createReports, reportEndpoints } from "./reports/start.ts";
import { startSelfWatch } from "./self-watch/self-watch.ts";
import { startTaps } from "./taps/start.ts";
import { thresholdProjections } from "./settings/projection.ts";

/** Longest time that an unavailable producer delays the deferred alerts of others. */
const catchUpMs = 10_000;

/** A due step waits this long for the names of users. */
const peopleMs = 1_000;

/** A report waits for figures of hundreds of targets. */
const reportCallMs = 20_000;

/** Long enough for a rolling upgrade, since replicas of the previous version cannot open resealed secrets. */
const sealEveryMs = 600_000;

export const start = (config: Config, schema?: string): Promise<Service> =>
  startService({ name: "notifier", config, build: (service) => build(service, config, schema) });

async function build(service: Foundation, config: Config, schema: string | undefined): Promise<void> {
  const { log, clock, use } = service;
  const db = await openServiceDatabase(service, {
    url: config.DATABASE_URL,
    schema,
    migrations,
    poolSize: 12,
    camelCase: true,
  });
  const secrets = secretBox(config);
  await refuseUnknownKey({ db, log, secrets, texts: sealedTexts, isAbandoned: config.SONDE_ABANDON_SECRETS });
  const bus = await service.connectBus();
  const relay = use(startRelay({ db, bus, log, projections: thresholdProjections(db) }));
  await retryUntilReady(log, relay.reconcile);
  const guard = createGuard({ denyCidrs: denied(config) });
  const base: Omit<Context, "due"> = {
    db,
    clock,
    log,
    secrets,
    guard,
    publicUrl: config.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    pushServices: config.PUSH_SERVICES,
    committed: relay.nudge,
  };
  const metrics = client(bus, metricsContract);
  const statusPage = client(bus, statusContract);
  const auth = client(bus, authContract, { timeoutMs: peopleMs });
  const people = createPeople(async (ids) => {
    const found = (await auth.people({ ids: [...ids] })).people;
    return found.map(({ id, username, email, status }) => {
      return { id, name: username, email, isDisabled: status === "disabled" };
    });
  }, clock);
  const readerOf = (type: ChannelTypeName) => channelOf(type).reader;
  const noticing = { ...base, people, readerOf, quiet: () => quietNow(statusPage) };
  const reportKey = reportKeyReader(base, config.SONDE_ABANDON_SECRETS);
  const delivering: DeliveryContext = {
    ...base,
    channelOf,
    egress: createEgress({ resolver: createResolver({ clock }), guard }, clock),
    render: renderMessage,
    linksOf: (channelId) => linksOf(base, channelId),
    evidenceOf: evidenceReader(metrics),
    monitors: client(bus, monitorsContract),
    mailOf: async (key) => (await statusPage.composeMail({ key })).mail,
    noticeOf: (notice, key) =>
      notice.kind === "report"
        ? writeReportNotice({ ...base, reportKey }, notice, key)
        : writeNotice(noticing, notice, key),
    pushIdentity: pushIdentityReader(base),
    startCall: (key) => startCall(base, key),
    removeGoneDevices: () => removeGoneDevices(noticing),
    sample: (language, nowMs) => sampleFacts("test", language, nowMs),
    changed: publishChanges(bus, clock),
  };
  const seal = async () => {
    const sealed = await sealOpenSecrets(db, base.secrets);
    if (sealed > 0) log.info({ channels: sealed }, "plain-text channel secrets sealed");
    await sealChannels(base);
    await sealChannels(base, "push_key");
    await sealChannels(base, "report_key");
  };
  use(startLoop({ work: "sealing channel secrets", log, everyMs: sealEveryMs, run: seal }));
  const sender = use(startSender(delivering));
  const ctx: Context = { ...base, due: sender.nudge };
  const maintenance = use(watchMaintenance(bus));
  await waitForMaintenance(bus, maintenance);
  const deciding = { ...ctx, maintenance, people, readerOf };
  use(startRetention({ db, clock, log, people, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  const events = use(startEvents(bus, deciding));
  const sources = {
    monitors: client(bus, monitorsContract, { timeoutMs: reportCallMs }),
    agents: client(bus, agentsContract, { timeoutMs: reportCallMs }),
    incidents: client(bus, incidentsContract, { timeoutMs: reportCallMs }),
    metrics: client(bus, metricsContract, { timeoutMs: reportCallMs }),
    statusPage,
    auth,
  };
  const reporting = { ...ctx, channelOf, sources, reportKey };
  const reports = use(createReports(reporting));
  use(
    startTicks(
      { ...deciding, makeReports: reports.makeDue },
      Promise.race([events.caughtUp, sleep(catchUpMs, undefined, { ref: false })]),
    ),
  );
  const acknowledging = {
    incidents: client(bus, incidentsContract),
    acknowledgeDrill: (input: { id: string; by: string }) => acknowledgeRun(deciding, input),
  };
  use(startTaps({ ...base, ...acknowledging, egress: delivering.egress }));
  const story = {
    incidents: client(bus, incidentsContract),
    metrics,
    notifications: (incidentId: string) => orUnavailable(() => notificationsOf(db, incidentId)),
    quietAt: (target: TargetRef, atMs: number) => quietAt(maintenance, target, atMs),
    preceding: {
      audit: client(bus, auditContract),
      changesFor: (...asked: [incidentId: string, fromMs: number, untilMs: number]) =>
        orUnavailable(() => changesFor(db, ...asked)),
      maintenanceOf: (monitorId: number) => maintenance.spansOf("monitor", monitorId),
    },
  };
  const test = channelTester(delivering);
  await service.serve(bus, notificationsContract, {
    ...endpoints(ctx, delivering, story, test),
    applyNotifications: (input, { signal }) => applyNotifications(ctx, input, signal, reporting),
    readNoise: createNoise({ ...ctx, monitors: sources.monitors, incidentDays: config.RETENTION_INCIDENT_DAYS }),
    answerCall: async (request) => ({
      twiml: await orUnavailable(() => answerCall({ ...delivering, ...acknowledging, due: ctx.due }, request)),
    }),
  });
  const pushKey = () =>
    delivering.pushIdentity().then(
      ({ publicKey }) => publicKey,
      () => undefined,
    );
  const rehearsals = use(createRehearsals({ ...deciding, incidentDays: config.RETENTION_INCIDENT_DAYS }));
  await service.serve(bus, onCallContract, onCallEndpoints(deciding, test, pushKey, rehearsals));
  await service.serve(bus, incidentsContract, runEndpoints(deciding), "drills");
  await service.serve(bus, reportsContract, reportEndpoints(reporting));
  const { SELF_WATCH_URL: url } = config;
  if (url !== undefined) use(startSelfWatch(bus, { db, clock, log, egress: delivering.egress, url }));
}

if (import.meta.main) await runMain("notifier", () => start(readConfig()));
