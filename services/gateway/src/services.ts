import { agentsContract } from "@sonde/proto/rpc/agents";
import { auditContract } from "@sonde/proto/rpc/audit";
import { authContract } from "@sonde/proto/rpc/auth";
import { factorsContract } from "@sonde/proto/rpc/factors";
import { keysContract } from "@sonde/proto/rpc/keys";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract, scrapedMonitorsContract } from "@sonde/proto/rpc/monitors";
import { signInContract } from "@sonde/proto/rpc/sign-in";
import { statusContract } from "@sonde/proto/rpc/status";
import { checkNowMs } from "@sonde/proto/http/monitors/check-now";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Log } from "@sonde/kit/service/log";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, client, hasNoResponder, ranOutOfTime } from "@sonde/kit/bus/rpc";

/** The parts that the gateway asks. */
export type Services = {
  auth: Client<typeof authContract>;
  factors: Client<typeof factorsContract>;
  keys: Client<typeof keysContract>;
  audit: Client<typeof auditContract>;
  signIn: Client<typeof signInContract>;
  monitors: Client<typeof monitorsContract>;
  /** Those too, of very many at once. */
  scraped: Client<typeof scrapedMonitorsContract>;
  metrics: Client<typeof metricsContract>;
  agents: Client<typeof agentsContract>;
  /** Of every producer; a call names the one that it asks as its `scope`. */
  incidents: Client<typeof incidentsContract>;
  notifications: Client<typeof notificationsContract>;
  statusPage: Client<typeof statusContract>;
};

/** The web app waits 10 s: the sequential calls of one request stay below that together. */
export const timeouts = {
  /** Logins queue for the hashing of passwords. */
  authMs: 8000,
  keysMs: 4000,
  /** A provider is asked up to three times in turn while a browser waits. */
  signInMs: 25_000,
  auditMs: 5000,
  monitorsMs: 4000,
  /** An order by uptime, before the page itself is read. */
  orderMs: 4000,
  /** A thousand monitors change in transactions of some dozen. */
  bulkMs: 9000,
  /** Ten thousand monitors are checked and written in one transaction; the web app waits longer for it. */
  importMs: 180_000,
  metricsMs: 5000,
  agentsMs: 4000,
  /** A far page asks four times, one after the other. */
  incidentsMs: 2400,
  notificationsMs: 4000,
  statusPageMs: 4000,
  /** A provider has 15 s to answer a test; the web app waits 20. */
  channelTestMs: 18_000,
  /** Figures that an answer can do without. */
  besideMs: 1500,
} as const;

/** How long an answer waits for the state machine to take a result in. */
const stateMs = 1000;

/** The limit of a check by hand with its re-checks, and of a test, which has none. */
export const checkLimitMs = (timeoutSeconds: number, retries: number): number =>
  checkNowMs(timeoutSeconds * 1000, retries) + stateMs;

export function connectServices(bus: Bus): Services {
  return {
    auth: client(bus, authContract, { timeoutMs: timeouts.authMs }),
    factors: client(bus, factorsContract, { timeoutMs: timeouts.authMs }),
    keys: client(bus, keysContract, { timeoutMs: timeouts.keysMs }),
    audit: client(bus, auditContract, { timeoutMs: timeouts.auditMs }),
    signIn: client(bus, signInContract, { timeoutMs: timeouts.signInMs }),
    monitors: client(bus, monitorsContract, { timeoutMs: timeouts.monitorsMs }),
    scraped: client(bus, scrapedMonitorsContract, { timeoutMs: timeouts.monitorsMs }),
    metrics: client(bus, metricsContract, { timeoutMs: timeouts.metricsMs }),
    agents: client(bus, agentsContract, { timeoutMs: timeouts.agentsMs }),
    incidents: client(bus, incidentsContract, { timeoutMs: timeouts.incidentsMs }),
    notifications: client(bus, notificationsContract, { timeoutMs: timeouts.notificationsMs }),
    statusPage: client(bus, statusContract, { timeoutMs: timeouts.statusPageMs }),
  };
}

const pauseMs = 100;
const warnAfterMs = 3000;

/** Waits until auth, monitors, metrics and the notifier answer, or the time is over; logs once which are missing. */
export async function waitForServices(services: Services, waitSeconds: number, log: Log): Promise<boolean> {
  const startedAt = performance.now();
  const waitedMs = () => performance.now() - startedAt;
  for (let said = false; waitedMs() < waitSeconds * 1000; await sleep(pauseMs)) {
    const states = await pingServices(services);
    const missing = Object.entries(states).flatMap(([name, isThere]) => (isThere ? [] : [name]));
    if (missing.length === 0) return true;
    if (!said && waitedMs() > warnAfterMs) {
      said = true;
      log.warn({ missing }, "waiting for services");
    }
  }
  return false;
}

type Readiness = Record<"auth" | "monitors" | "metrics" | "notifier", boolean>;

/** Whether each part is there: it answers a cheap question, be it with a refusal. */
export async function pingServices(
  { auth, monitors, metrics, notifications }: Services,
  timeoutMs = 1000,
): Promise<Readiness> {
  const [authThere, monitorsThere, metricsThere, notifierThere] = await Promise.all([
    answers(auth.registrationState({}, { timeoutMs })),
    answers(monitors.listLocations({}, { timeoutMs })),
    answers(metrics.monitorUptimes({ monitorIds: [0] }, { timeoutMs })),
    answers(notifications.listTemplates({}, { timeoutMs })),
  ]);
  return { auth: authThere, monitors: monitorsThere, metrics: metricsThere, notifier: notifierThere };
}

async function answers(question: Promise<unknown>): Promise<boolean> {
  try {
    await question;
    return true;
  } catch (error) {
    return !hasNoResponder(error) && !ranOutOfTime(error) && !isBusAway(error);
  }
}

const isBusAway = (error: unknown) =>
  error instanceof Error && "params" in error && (error.params as { service?: unknown }).service === "bus";
