import { StartupError } from "@sonde/kit/service/startup-error";
import { env, readConfig } from "@sonde/kit/service/config";
import { reasonOf } from "@sonde/kit/service/waiting";
import { loginAnswer } from "@sonde/proto/http/auth";
import { type ConfigAnswer, configAnswer } from "@sonde/proto/http/config";
import { failure } from "@sonde/proto/http/envelope";
import { locationsAnswer, monitorAnswer } from "@sonde/proto/http/monitors/monitors";
import { once } from "node:events";
import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

const schema = z.object({
  SONDE_URL: env.httpUrl(),
  /** Public host name, if the gateway accepts no other. */
  SONDE_HOST: z.string().optional(),
  SETUP_CODE: z.string().optional(),
  TEST_USERNAME: z.string("must be the name of an account"),
  TEST_PASSWORD: z.string("must be the password of that account"),
  TARGET_URL: env.httpUrl().optional(),
});

const reachableWithinMs = 60_000;

/** Uses Sonde like a user: logs in, adds a monitor and waits for its first result. Prints a line per step. */
export async function smoke(
  environment: NodeJS.ProcessEnv,
  print: (line: string) => unknown = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const config = readConfig(schema, environment);
  const http: HttpOptions = { url: config.SONDE_URL, host: config.SONDE_HOST };
  const { TEST_USERNAME: username, TEST_PASSWORD: password, SETUP_CODE: setupCode } = config;
  try {
    await untilReachable(http, print);
    const token = await logIn(http, { username, password, setupCode }, print);
    // The check does not use the public host name, so the gateway may respond with 421, which also shows that it runs.
    const own = { url: new URL("/api/config", config.SONDE_URL).href, expectedStatus: "200,421" };
    const target = config.TARGET_URL === undefined ? own : { url: config.TARGET_URL, expectedStatus: "2xx,3xx" };
    await checkMonitor(http, token, target, print);
    await callApi(http, { method: "POST", path: "/api/auth/logout", token }, z.object({ success: z.literal(true) }));
  } catch (fault) {
    if (fault instanceof StartupError) throw fault;
    const reason = fault instanceof Refusal ? `${fault.message} (${fault.status})` : reasonOf(fault);
    throw new StartupError(`${http.url}: ${reason}`, { cause: fault });
  }
  print("Sonde works.");
}

/** Shortly after an installation, its name may not resolve or its port may be closed. */
async function untilReachable(http: HttpOptions, print: (line: string) => void): Promise<void> {
  let lastReason = "";
  for (const deadlineMs = performance.now() + reachableWithinMs; ;) {
    try {
      return void (await callApi(http, { method: "GET", path: "/api/config" }, z.unknown()));
    } catch (fault) {
      const isTemporary = !(fault instanceof Refusal) || fault.status >= 500;
      if (!isTemporary || performance.now() > deadlineMs) throw fault;
      const reason = reasonOf(fault);
      if (reason !== lastReason) print(`Waiting for ${http.url}: ${reason}`);
      lastReason = reason;
    }
    await sleep(1_000);
  }
}

type Account = { username: string; password: string; setupCode: string | undefined };
type Print = (line: string) => void;

const waitsForApproval = "The account is waiting for approval";

/**
 * Logs in and returns the token. Creates the account if necessary: the first one with the setup code, others if
 * registration is open.
 * @throws StartupError with what the user has to do
 */
export async function logIn(http: HttpOptions, account: Account, print: Print): Promise<string> {
  const { username } = account;
  const config = await callApi(http, { method: "GET", path: "/api/config" }, configAnswer);
  print(`Sonde ${config.version} responds at ${http.url}.`);
  if (config.setup.firstAccount) {
    await register(http, account, config);
    print(`${username} is the first account and an administrator.`);
    return login(http, account);
  }
  try {
    const token = await login(http, account);
    print(`${username} has logged in.`);
    return token;
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.code !== "unauthenticated") throw refusal;
    if (config.registration === "closed") {
      throw new StartupError(
        `${username} cannot log in, and registration is closed: create an account for the test, and set tests.existingSecret to the Secret with its username and password.`,
      );
    }
  }
  await register(http, account, config);
  print(`${username} has registered.`);
  return login(http, account);
}

async function register(http: HttpOptions, account: Account, { setup }: ConfigAnswer): Promise<void> {
  const { username, password, setupCode } = account;
  const body = { username, password, ...(setup.firstAccount && setupCode ? { setupCode } : {}) };
  try {
    await callApi(http, { method: "POST", path: "/api/auth/register", body }, z.object({ success: z.literal(true) }));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const hint =
      refusal.code === "conflict"
        ? "An account with this name exists with another password: put that password into the Secret, or delete the account."
        : setup.codeRequired
          ? "SETUP_CODE must be the code that the auth service was started with."
          : "";
    throw new StartupError(`${username} cannot register: ${refusal.message}. ${hint}`.trim(), { cause: refusal });
  }
}

async function login(http: HttpOptions, { username, password }: Account): Promise<string> {
  try {
    const response = await callApi(
      http,
      { method: "POST", path: "/api/auth/login", body: { username, password } },
      loginAnswer,
    );
    if (response.token === undefined)
      throw new StartupError(
        `The account ${username} requires a second factor: use an account without one for the test.`,
      );
    return response.token;
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.message === waitsForApproval) {
      throw new StartupError(
        `The account ${username} is waiting for approval: approve it under User Management in Sonde, then run the test again.`,
      );
    }
    throw refusal;
  }
}

type Target = { url: string; expectedStatus: string };

const pollEveryMs = 1_000;
/** The first check is due within one interval, and a starting runner may need another. */
const maxIntervals = 3;
const minWaitMs = 60_000;

/** Always deletes the monitor. @throws StartupError with the reason of a failure */
export async function checkMonitor(
  http: HttpOptions,
  token: string,
  { url, expectedStatus }: Target,
  print: (line: string) => void,
): Promise<void> {
  const send = <Shape extends z.ZodType>(request: Omit<ApiRequest, "token">, shape: Shape) =>
    callApi(http, { ...request, token }, shape);
  const { minIntervalMinutes } = await send({ method: "GET", path: "/api/config" }, configAnswer);
  const served = await servedLocation(() => send({ method: "GET", path: "/api/locations" }, locationsAnswer), print);
  const interval = Math.max(minIntervalMinutes, 0.25);
  const body = {
    name: `helm test ${new Date().toISOString()}`,
    url,
    interval,
    expectedStatus,
    locations: [served.name],
  };
  const created = await send({ method: "POST", path: "/api/monitors", body }, monitorAnswer).catch(
    (refusal: unknown) => {
      if (!(refusal instanceof Refusal)) throw refusal;
      throw new StartupError(`The monitor for ${url} was rejected: ${refusal.message}`, { cause: refusal });
    },
  );
  const path = `/api/monitors/${created.monitor.id}`;
  print(`Created a monitor for ${url}; its first check from ${served.name} is due within ${interval * 60} s.`);
  try {
    const waitMs = Math.max(interval * 60_000 * maxIntervals, minWaitMs);
    for (const deadlineMs = performance.now() + waitMs; ;) {
      const { monitor } = await send({ method: "GET", path }, monitorAnswer);
      if (monitor.lastError !== undefined) throw new StartupError(`The check of ${url} failed: ${monitor.lastError}`);
      if (monitor.status === "up") {
        print(`First result: up, ${monitor.responseTime} ms.`);
        break;
      }
      if (performance.now() > deadlineMs) {
        throw new StartupError(`No result after ${Math.round(waitMs / 1000)} s: the monitor is ${monitor.status}.`);
      }
      await sleep(pollEveryMs);
    }
  } finally {
    await send({ method: "DELETE", path }, z.object({ success: z.literal(true) })).then(
      () => print("Deleted the monitor."),
      (fault: unknown) => print(`The monitor ${created.monitor.id} could not be deleted: ${String(fault)}`),
    );
  }
}

/** Waits for a runner, because services discover runners only seconds after their start. */
async function servedLocation(
  readLocations: () => Promise<z.infer<typeof locationsAnswer>>,
  print: (line: string) => void,
): Promise<{ name: string }> {
  const deadlineMs = performance.now() + minWaitMs;
  for (let attempt = 0; ; attempt++) {
    const { locations } = await readLocations();
    const served = locations.find(({ runners }) => runners > 0);
    if (served !== undefined) return served;
    if (performance.now() > deadlineMs) throw new StartupError("No probe runner is available: nothing can be checked.");
    if (attempt === 0) print("Waiting for a probe runner.");
    await sleep(pollEveryMs);
  }
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type HttpOptions = {
  url: string;
  /** Public host name, if the gateway accepts no other. */
  host: string | undefined;
};
export type ApiRequest = { method: "GET" | "POST" | "DELETE"; path: string; body?: object; token?: string | undefined };

/** @throws Refusal for an error response; Error if there is no response */
export async function callApi<Shape extends z.ZodType>(
  { url, host }: HttpOptions,
  { method, path, body, token }: ApiRequest,
  shape: Shape,
): Promise<z.output<Shape>> {
  const headers = {
    "Accept-Language": "en-US",
    ...(host === undefined ? {} : { Host: host }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  return read(await send(new URL(path, url), method, headers, body), shape);
}

type ReceivedResponse = { status: number; text: string };

/** Sends a request and reads the response within 30 s. `fetch` cannot set the header Host. */
async function send(
  address: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<ReceivedResponse> {
  const ofBody = body === undefined ? {} : { "Content-Type": "application/json" };
  const request = (address.protocol === "https:" ? overHttps : overHttp)(address, {
    method,
    headers: { "User-Agent": "sonde-setup", ...ofBody, ...headers },
    agent: false,
    signal: AbortSignal.timeout(30_000),
  });
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await readText(response) };
}

function read<Shape extends z.ZodType>({ status, text }: ReceivedResponse, shape: Shape): z.output<Shape> {
  const start = text.slice(0, 200);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(status, "unreadable", `status ${status} without JSON. Is this Sonde? Response: ${start}`);
  }
  const error = failure.safeParse(body);
  if (error.success) throw new Refusal(status, error.data.code, error.data.message);
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Refusal(
    status,
    "unreadable",
    `status ${status} with a response that this version does not understand: ${start}`,
  );
}
