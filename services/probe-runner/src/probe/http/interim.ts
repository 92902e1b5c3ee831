import type { Fault } from "../probe.ts";

/** More interim responses (1xx, RFC 9110 §15.2) before the final one are a fault. */
const maxInterimResponses = 20;
const tooManyInterim: Fault = { kind: "protocol", message: `More than ${maxInterimResponses} interim responses (1xx)` };

/** Returns a listener for interim responses, each of which costs time: it calls `fail` once there are too many. */
export function countInterim(fail: (fault: Fault) => void): () => void {
  let count = 0;
  return () => {
    if (++count > maxInterimResponses) fail(tooManyInterim);
  };
}
