import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { mapSealed, type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import { type MonitorDefinition, MonitorDefinitionSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { readCheck } from "@sonde/proto/http/monitors/kinds";
import { buckets, definitionsOf } from "@sonde/proto/streams";
import { compileCheck, loadKind, type ProbeTarget } from "../probe/probes.ts";
import { runnerMetrics } from "../telemetry.ts";

export interface Assignment {
  monitorId: number;
  version: number;
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  keepBody: boolean;
  target: ProbeTarget;
}

export interface AssignmentHandler {
  /** `fresh`: the monitor was added after startup, so its newest slot may not have run. */
  assign(assignment: Assignment, fresh: boolean): void;
  /** The monitor was deleted, paused, or moved to other locations. */
  release(monitorId: number): void;
}

/** Follows KV `definitions` for one location; resolves after all existing definitions were delivered. */
export async function watchDefinitions(
  options: { bus: Bus; location: string; secrets: SecretBox; log: Log; onUnreadable?: () => void },
  assignees: AssignmentHandler,
): Promise<Service> {
  const { bus, location, secrets, log } = options;
  const revisions = new Map<number, number>();
  const unreadable = new Set<string>();
  const current = Promise.withResolvers<void>();
  let loaded = false;

  const read = async (key: string, bytes: Uint8Array) => {
    let monitorId = Number(key.slice(location.length + 1));
    try {
      const definition = fromBinary(MonitorDefinitionSchema, bytes);
      monitorId = definition.monitorId;
      if (definition.revision <= (revisions.get(monitorId) ?? -1)) return;
      revisions.set(monitorId, definition.revision);
      if (isOurs(definition, location)) assignees.assign(await toAssignment(definition, secrets), loaded);
      else assignees.release(monitorId);
      unreadable.delete(key);
    } catch (error) {
      // The previous definition is obsolete, so the monitor has no data. After an upgrade every definition may be
      // unreadable, hence a metric instead of a log line for each.
      log.debug({ err: error, monitorId }, "invalid definition of a monitor");
      unreadable.add(key);
      options.onUnreadable?.();
      assignees.release(monitorId);
    }
    runnerMetrics.unreadableDefinitions.set(unreadable.size);
  };

  const following = watchBucket(bus, {
    bucket: buckets.definitions,
    keys: definitionsOf(location),
    onEntry: ({ key, value }) => read(key, value),
    onCurrent: () => {
      loaded = true;
      current.resolve();
    },
  });
  await current.promise;
  return following;
}

function isOurs(definition: MonitorDefinition, location: string): boolean {
  return !definition.deleted && definition.active && definition.locations.includes(location);
}

async function toAssignment(definition: MonitorDefinition, secrets: SecretBox): Promise<Assignment> {
  const { monitorId, version, intervalMs, retries, spec } = definition;
  if (spec === undefined || !(intervalMs > 0)) throw new Error("the definition is incomplete");
  // A check must end before its next slot is due, regardless of the saved timeout.
  const timeoutMs = Math.min(spec.timeoutMs, intervalMs * 0.95);
  const target = await compileSealed(JSON.parse(spec.check), secrets);
  return { monitorId, version, intervalMs, timeoutMs, retries, keepBody: spec.keepBody ?? true, target };
}

/**
 * Compiles a check with its secrets opened. Decrypted secrets exist nowhere else.
 * @throws Error if a secret does not open or this runner does not know the check's kind
 */
export async function compileSealed(check: unknown, secrets: SecretBox): Promise<ProbeTarget> {
  const opened = mapSealed(check, (sealed) => secrets.open(sealed, secretContexts.check));
  if (typeof opened !== "object" || opened === null) throw new Error("the definition has no check");
  const read = readCheck({ ...opened });
  await loadKind(read.type);
  return compileCheck(read);
}
