import { isLoopback } from "@sonde/kit/addresses";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

const answerMs = 10_000;

/**
 * Makes the code that is needed to create the first account if other machines can reach this installation: without it, any
 * of them could become administrator. Undefined on loopback, and if the environment sets one.
 */
export function newSetupCode(host: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return isLoopback(host) || environment["AUTH_SETUP_CODE"] ? undefined : randomBytes(12).toString("base64url");
}

/** Also true if the installation does not respond. */
export async function needsFirstAccount(address: string): Promise<boolean> {
  try {
    // `fetch` would keep 5 MiB for this one request.
    const { request } = await import("@sonde/kit/http/node-http");
    const sent = request(`${address}/api/config`, { agent: false, signal: AbortSignal.timeout(answerMs) }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { setup } = JSON.parse(await text(response)) as { setup: { firstAccount: boolean } };
    return setup.firstAccount;
  } catch {
    return true;
  }
}
