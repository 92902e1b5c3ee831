import { StartupError } from "@sonde/kit/embedded/startup-error";
import { loginAnswer } from "@sonde/proto/http/auth";
import { type ConfigAnswer, configAnswer } from "@sonde/proto/http/config";
import { z } from "zod";
import { ask, type HttpOptions, Refusal } from "./http-client.ts";

type Account = { username: string; password: string; setupCode: string | undefined };
type Say = (line: string) => void;

const waitsForApproval = "The account is waiting for approval";

/**
 * Logs in, making the account if there is none: the first of all with the setup code, another if registration permits
 * it. Returns the token.
 * @throws StartupError with what the user has to do
 */
export async function logIn(http: HttpOptions, account: Account, say: Say): Promise<string> {
  const { username } = account;
  const config = await ask(http, { method: "GET", path: "/api/config" }, configAnswer);
  say(`Sonde ${config.version} answers at ${http.url}.`);
  if (config.setup.firstAccount) {
    await register(http, account, config);
    say(`There was no account: ${username} is the first, and an admin.`);
    return login(http, account);
  }
  try {
    const token = await login(http, account);
    say(`${username} has logged in.`);
    return token;
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.code !== "unauthenticated") throw refusal;
    if (config.registration === "closed") {
      throw new StartupError(
        `${username} cannot log in, and registration is closed: make an account for the test, and name the Secret with its username and password in tests.existingSecret.`,
      );
    }
  }
  await register(http, account, config);
  say(`${username} has registered.`);
  return login(http, account);
}

async function register(http: HttpOptions, account: Account, { setup }: ConfigAnswer): Promise<void> {
  const { username, password, setupCode } = account;
  const body = { username, password, ...(setup.firstAccount && setupCode ? { setupCode } : {}) };
  try {
    await ask(http, { method: "POST", path: "/api/auth/register", body }, z.object({ success: z.literal(true) }));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const hint =
      refusal.code === "conflict"
        ? "An account of this name exists with another password: put that one into the Secret, or delete the account."
        : setup.codeRequired
          ? "SETUP_CODE must be the code that the service auth was started with."
          : "";
    throw new StartupError(`${username} cannot register: ${refusal.message}. ${hint}`.trim(), { cause: refusal });
  }
}

async function login(http: HttpOptions, { username, password }: Account): Promise<string> {
  try {
    const answer = await ask(
      http,
      { method: "POST", path: "/api/auth/login", body: { username, password } },
      loginAnswer,
    );
    return answer.token;
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.message === waitsForApproval) {
      throw new StartupError(
        `The account ${username} waits for approval: an admin opens User Management in Sonde, approves it, and then the test is run again.`,
      );
    }
    throw refusal;
  }
}
