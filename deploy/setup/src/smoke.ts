import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { env, readConfig } from "@sonde/kit/service/config";
import { reasonOf } from "@sonde/kit/service/waiting";
import { z } from "zod";
import { checkMonitor } from "./smoke/check-monitor.ts";
import { ask, type HttpOptions, Refusal } from "./smoke/http-client.ts";
import { logIn } from "./smoke/log-in.ts";

const schema = z.object({
  SONDE_URL: env.httpUrl(),
  /** Its public name, where it answers to that one alone. */
  SONDE_HOST: z.string().optional(),
  SETUP_CODE: z.string().optional(),
  TEST_USERNAME: z.string("must be the name of an account"),
  TEST_PASSWORD: z.string("must be the password of that account"),
  TARGET_URL: env.httpUrl().optional(),
});

const reachableWithinMs = 60_000;

/** Uses Sonde as a person would: an account, a monitor, its first result. One line for each step. */
export async function smoke(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => unknown = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const config = readConfig(schema, environment);
  const http: HttpOptions = { url: config.SONDE_URL, host: config.SONDE_HOST };
  const { TEST_USERNAME: username, TEST_PASSWORD: password, SETUP_CODE: setupCode } = config;
  try {
    await untilReachable(http, say);
    const token = await logIn(http, { username, password, setupCode }, say);
    // A check names the address that it asks, which is not the public name: the gateway then refuses (421), and so is there.
    const own = { url: new URL("/api/config", config.SONDE_URL).href, expectedStatus: "200,421" };
    const target = config.TARGET_URL === undefined ? own : { url: config.TARGET_URL, expectedStatus: "2xx,3xx" };
    await checkMonitor(http, token, target, say);
    await ask(http, { method: "POST", path: "/api/auth/logout", token }, z.object({ success: z.literal(true) }));
  } catch (fault) {
    if (fault instanceof StartupError) throw fault;
    const said = fault instanceof Refusal ? `${fault.message} (${fault.status})` : reasonOf(fault);
    throw new StartupError(`${http.url}: ${said}`, { cause: fault });
  }
  say("Sonde works.");
}

/** For some seconds after an installation its name may not resolve, or its port may be closed. */
async function untilReachable(http: HttpOptions, say: (line: string) => void): Promise<void> {
  let told = "";
  for (const deadlineMs = performance.now() + reachableWithinMs; ;) {
    try {
      return void (await ask(http, { method: "GET", path: "/api/config" }, z.unknown()));
    } catch (fault) {
      const passes = !(fault instanceof Refusal) || fault.status >= 500;
      if (!passes || performance.now() > deadlineMs) throw fault;
      const reason = reasonOf(fault);
      if (reason !== told) say(`Waiting for ${http.url}: ${reason}`);
      told = reason;
    }
    await sleep(1_000);
  }
}
