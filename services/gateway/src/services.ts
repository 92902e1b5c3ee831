import { agentsContract } from "@sonde/proto/rpc/agents";
import { auditContract } from "@sonde/proto/rpc/audit";
import { authContract } from "@sonde/proto/rpc/auth";
import { factorsContract } from "@sonde/proto/rpc/factors";
import { invitesContract } from "@sonde/proto/rpc/invites";
import { keysContract } from "@sonde/proto/rpc/keys";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { onCallContract } from "@sonde/proto/rpc/on-call";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract, scrapedMonitorsContract } from "@sonde/proto/rpc/monitors";
import { reportsContract } from "@sonde/proto/rpc/reports";
import { signInContract } from "@sonde/proto/rpc/sign-in";
import { statusContract } from "@sonde/proto/rpc/status";
import { checkNowMs } from "@sonde/proto/http/monitors/check-now";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Log } from "@sonde/kit/service/log";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, client, hasNoResponder, timedOut } from "@sonde/kit/bus/rpc";

/** The web app waits 10 s; sequential calls of one request must stay below that. */
const callable = {
  /** Logins queue for password hashing. */
  auth: { contract: authContract, timeoutMs: 8000 },
  factors: { contract: factorsContract, timeoutMs: 8000 },
  /** Accepting one queues for password hashing. */
  invites: { contract: invitesContract, timeoutMs: 8000 },
  keys: { contract: keysContract, timeoutMs: 4000 },
  audit: { contract: auditContract, timeoutMs: 5000 },
  /** Calls a provider up to three times in sequence while a browser waits. */
  signIn: { contract: signInContract, timeoutMs: 25_000 },
  monitors: { contract: monitorsContract, timeoutMs: 4000 },
  scraped: { contract: scrapedMonitorsContract, timeoutMs: 4000 },
  metrics: { contract: metricsContract, timeoutMs: 5000 },
  agents: { contract: agentsContract, timeoutMs: 4000 },
  /** Pass a producer as `scope`. A page far down the list needs four sequential calls, hence the timeout. */
  incidents: { contract: incidentsContract, timeoutMs: 2400 },
  notifications: { contract: notificationsContract, timeoutMs: 4000 },
  onCall: { contract: onCallContract, timeoutMs: 4000 },
  reports: { contract: reportsContract, timeoutMs: 4000 },
  statusPage: { contract: statusContract, timeoutMs: 4000 },
};
export type Services = { [Name in keyof typeof callable]: Client<(typeof callable)[Name]["contract"]> };

export const connectServices = (bus: Bus): Services =>
  Object.fromEntries(
    Object.entries(callable).map(([name, { contract, timeoutMs }]) => [name, client(bus, contract, { timeoutMs })]),
  ) as unknown as Services;

export const timeouts = {
  orderMs: 4000,
  bulkMs: 9000,
  /** Ten thousand monitors are checked and written in one transaction; the web app waits longer. */
  importMs: 180_000,
  /** Providers have 15 s to respond to a test; the web app waits 20. */
  channelTestMs: 18_000,
  /** Counts days of hundreds of targets. */
  reportMs: 9_000,
  /** Reading 30 days, and the budget of the thread; the web app waits longer. */
  rehearsalMs: 25_000,
  /** Replays a month of the noisiest monitors; the web app waits longer. */
  noiseMs: 25_000,
  optionalMs: 1500,
} as const;

const stateMs = 1000;

/** Timeout of a manual check including its retries, or of a test, which has none. */
export const checkLimitMs = (timeoutSeconds: number, retries: number): number =>
  checkNowMs(timeoutSeconds * 1000, retries) + stateMs;

const pauseMs = 100;
const warnAfterMs = 3000;

/** Logs once which services are missing. */
export async function waitForServices(services: Services, waitSeconds: number, log: Log): Promise<boolean> {
  const startedAt = performance.now();
  const waitedMs = () => performance.now() - startedAt;
  for (let isLogged = false; waitedMs() < waitSeconds * 1000; await sleep(pauseMs)) {
    const states = await pingServices(services);
    const missing = Object.entries(states).flatMap(([name, isUp]) => (isUp ? [] : [name]));
    if (missing.length === 0) return true;
    if (!isLogged && waitedMs() > warnAfterMs) {
      isLogged = true;
      log.warn({ missing }, "waiting for services");
    }
  }
  return false;
}

type Readiness = Record<"auth" | "monitors" | "metrics" | "notifier", boolean>;

/** A rejection counts as a response. */
export async function pingServices(
  { auth, monitors, metrics, notifications }: Services,
  timeoutMs = 1000,
): Promise<Readiness> {
  const [authUp, monitorsUp, metricsUp, notifierUp] = await Promise.all([
    responds(auth.registrationState({}, { timeoutMs })),
    responds(monitors.listLocations({}, { timeoutMs })),
    responds(metrics.monitorUptimes({ monitorIds: [0] }, { timeoutMs })),
    responds(notifications.listTemplates({}, { timeoutMs })),
  ]);
  return { auth: authUp, monitors: monitorsUp, metrics: metricsUp, notifier: notifierUp };
}

async function responds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    return !hasNoResponder(error) && !timedOut(error) && !isBusUnavailable(error);
  }
}

const isBusUnavailable = (error: unknown) =>
  error instanceof Error && "params" in error && (error.params as { service?: unknown }).service === "bus";
