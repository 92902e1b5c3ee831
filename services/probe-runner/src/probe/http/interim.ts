import type { ProbeFailure } from "../probe.ts";

/** Maximum interim responses (1xx, RFC 9110 §15.2) before the final one. */
const maxInterimResponses = 20;
const tooManyInterim: ProbeFailure = {
  kind: "protocol",
  message: `More than ${maxInterimResponses} interim responses (1xx)`,
};

export function countInterim(fail: (failure: ProbeFailure) => void): () => void {
  let count = 0;
  return () => {
    if (++count > maxInterimResponses) fail(tooManyInterim);
  };
}
