import { create, toBinary } from "@bufbuild/protobuf";
import { slotAfter } from "@sonde/kit/time/slots";
import {
  CheckErrorSchema,
  type CheckResult,
  CheckResultSchema,
  ResultBatchSchema,
} from "@sonde/proto/gen/checks/v1/checks";

type Fields = Partial<Omit<CheckResult, "$typeName" | "$unknown">> & { monitorId: number; slotMs: number };

export function resultOf(fields: Fields): CheckResult {
  const responseTimeMs = fields.responseTimeMs ?? 42.5;
  return create(CheckResultSchema, {
    location: "default",
    startedAtMs: fields.slotMs + (fields.latenessMs ?? 3),
    status: "up",
    statusCode: 200,
    responseTimeMs,
    timings: { dnsMs: 1.2, connectMs: 3.4, tlsMs: 5.6, firstByteMs: 20.1, totalMs: responseTimeMs },
    attempt: 1,
    failures: 0,
    latenessMs: 3,
    version: 1,
    runner: "runner-1",
    ...fields,
  });
}

export const failureOf = (fields: Fields & { message?: string }): CheckResult => {
  const { message = "Expected 200, got 503", ...rest } = fields;
  return resultOf({
    status: "down",
    statusCode: 503,
    error: create(CheckErrorSchema, { kind: "status", message }),
    attempt: 2,
    failures: 2,
    ...rest,
  });
};

export function checksOf(
  monitorId: number,
  fromMs: number,
  toMs: number,
  make: (fields: { monitorId: number; slotMs: number }) => CheckResult = resultOf,
  intervalMs = 60_000,
): CheckResult[] {
  const results: CheckResult[] = [];
  for (let slotMs = slotAfter(monitorId, intervalMs, fromMs - 1); slotMs < toMs; slotMs += intervalMs) {
    results.push(make({ monitorId, slotMs }));
  }
  return results;
}

export function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const rank = fraction * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low + (high - low) * (rank - Math.floor(rank));
}

export const batchOf = (results: readonly CheckResult[]): Uint8Array =>
  toBinary(ResultBatchSchema, create(ResultBatchSchema, { results: [...results] }));

/** Reproducible pseudo-random numbers in [0, 1) (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
