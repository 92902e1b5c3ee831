import { isLoopback } from "@sonde/kit/addresses";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

const timeoutMs = 10_000;

/**
 * Creates the code required for the first account, so that users of other machines cannot become administrator. Returns
 * undefined on loopback, and if the environment sets a code.
 */
export function newSetupCode(host: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return isLoopback(host) || environment["AUTH_SETUP_CODE"] ? undefined : randomBytes(12).toString("base64url");
}

/** Also true if the installation does not respond. */
export async function needsFirstAccount(address: string): Promise<boolean> {
  try {
    // `fetch` would take 5 MiB for this one request.
    const { request } = await import("@sonde/kit/http/node-http");
    const sent = request(`${address}/api/config`, { agent: false, signal: AbortSignal.timeout(timeoutMs) }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { setup } = JSON.parse(await text(response)) as { setup: { firstAccount: boolean } };
    return setup.firstAccount;
  } catch {
    return true;
  }
}
