import { create } from "@bufbuild/protobuf";
import { steady } from "@sonde/domain/incidents/flapping";
import { type CheckResult, CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { TrackedMonitor } from "../state/tracked.ts";

export const minute = 60_000;
export const slot = (number: number): number => 1_790_000_000_000 + number * minute;

/** A monitor without results at one location. */
export const trackedMonitor = (change: Partial<TrackedMonitor> = {}): TrackedMonitor => ({
  id: 1,
  revision: 1,
  version: 1,
  figuresVersion: 1,
  intervalMs: minute,
  timeoutMs: 10_000,
  retries: 1,
  recoverAfter: 1,
  slowAfter: null,
  slowChecks: null,
  isSlow: false,
  locations: ["default"],
  confirm: null,
  status: "pending",
  statusSinceMs: slot(0),
  activeSinceMs: slot(0),
  flapping: steady,
  isStaleReported: false,
  hasStaleIncident: false,
  hasPartialIncident: false,
  stateStream: "",
  stateMark: 0,
  locationStates: new Map(),
  ...change,
});

export type GivenResult = Partial<Omit<CheckResult, "$typeName" | "$unknown">>;

/** Its result in a slot, which began 5 ms late; by default a success, and a failure was retried. */
export const resultOf = (number: number, given: GivenResult = {}): CheckResult =>
  create(CheckResultSchema, {
    monitorId: 1,
    version: 1,
    location: "default",
    slotMs: slot(number),
    startedAtMs: (given.slotMs ?? slot(number)) + 5,
    status: "up",
    responseTimeMs: 20,
    failures: given.status === "down" ? 2 : 0,
    ...given,
  });
