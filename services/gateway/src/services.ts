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
import { type Client, client, hasNoResponder, timedOut } from "@sonde/kit/bus/rpc";

/** The services that the gateway calls. The web app waits 10 s: the calls in a row of one request stay below that. */
const callable = {
  /** Logins queue for the hashing of passwords. */
  auth: { contract: authContract, timeoutMs: 8000 },
  factors: { contract: factorsContract, timeoutMs: 8000 },
  keys: { contract: keysContract, timeoutMs: 4000 },
  audit: { contract: auditContract, timeoutMs: 5000 },
  /** A provider is asked up to three times in turn while a browser waits. */
  signIn: { contract: signInContract, timeoutMs: 25_000 },
  monitors: { contract: monitorsContract, timeoutMs: 4000 },
  /** Thousands of monitors in one answer. */
  scraped: { contract: scrapedMonitorsContract, timeoutMs: 4000 },
  metrics: { contract: metricsContract, timeoutMs: 5000 },
  agents: { contract: agentsContract, timeoutMs: 4000 },
  /** Calls name a producer as their `scope`. A page far down the list takes four calls in a row, hence the timeout. */
  incidents: { contract: incidentsContract, timeoutMs: 2400 },
  notifications: { contract: notificationsContract, timeoutMs: 4000 },
  statusPage: { contract: statusContract, timeoutMs: 4000 },
};
export type Services = { [Name in keyof typeof callable]: Client<(typeof callable)[Name]["contract"]> };

export const connectServices = (bus: Bus): Services =>
  Object.fromEntries(
    Object.entries(callable).map(([name, { contract, timeoutMs }]) => [name, client(bus, contract, { timeoutMs })]),
  ) as unknown as Services;

/** Timeouts of single calls that differ from their service's default. */
export const timeouts = {
  /** An order by uptime, before the page itself is read. */
  orderMs: 4000,
  /** A thousand monitors change in transactions of some dozen. */
  bulkMs: 9000,
  /** Ten thousand monitors are checked and written in one transaction; the web app waits longer for it. */
  importMs: 180_000,
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
    return !hasNoResponder(error) && !timedOut(error) && !isBusAway(error);
  }
}

const isBusAway = (error: unknown) =>
  error instanceof Error && "params" in error && (error.params as { service?: unknown }).service === "bus";
