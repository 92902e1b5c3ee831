import { isLoopback } from "@sonde/kit/addresses";
import { randomBytes } from "node:crypto";
import * as z from "zod";

const answerMs = 10_000;
const configAnswer = z.object({ setup: z.object({ firstAccount: z.boolean() }) });

/**
 * Makes the code that the first account needs if other machines reach an installation, since otherwise any of them could
 * become administrator. Undefined on loopback, and if the environment sets one.
 */
export function newSetupCode(host: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return isLoopback(host) || environment["AUTH_SETUP_CODE"] ? undefined : randomBytes(12).toString("base64url");
}

/** True if the installation at an address has no account yet, or does not say. */
export async function needsFirstAccount(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/config`, { signal: AbortSignal.timeout(answerMs) });
    return configAnswer.parse(await answer.json()).setup.firstAccount;
  } catch {
    return true;
  }
}
