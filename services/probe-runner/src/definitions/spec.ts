import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { CheckSpec } from "@sonde/proto/gen/monitors/v1/definitions";
import type { Assertion, AssertionOp, AssertionSource } from "@sonde/proto/http/assertions";
import type { Target } from "../probe/probes.ts";
import { compileHttp } from "../probe/target.ts";

/**
 * Prepares what a definition asks for, with its secrets opened; they exist in clear nowhere else.
 * @throws Error where a secret does not open, or the URL is none.
 */
export function compileSpec(spec: CheckSpec, secrets: SecretBox): Target {
  return compileHttp({
    url: spec.url,
    method: spec.method,
    headers: spec.headers.map(({ name, value, secret }) => ({
      name,
      value: secret ? secrets.open(value, secretContexts.monitorHeader) : value,
    })),
    ...(spec.body !== undefined && { body: spec.body }),
    expectedStatus: spec.expectedStatus,
    followRedirects: spec.followRedirects,
    verifyTls: spec.verifyTls,
    assertions: spec.assertions.map(({ source, property, op, value }): Assertion => ({
      source: source as AssertionSource,
      property,
      op: op as AssertionOp,
      value,
    })),
  });
}
