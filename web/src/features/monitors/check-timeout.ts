import { checkNowMs } from "@sonde/proto/http/monitors/check-now";

/** A second for the state, as the server waits, and five more for the way there and back. */
const marginMs = 6000;

/** How long the app waits for a check by hand, its re-checks included; a test has none. In milliseconds. */
export function checkTimeoutMs(timeoutSeconds = 10, retries = 0): number {
  return checkNowMs(timeoutSeconds * 1000, retries) + marginMs;
}
