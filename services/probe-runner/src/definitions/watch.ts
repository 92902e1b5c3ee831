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

/** A monitor that this runner's location has to check. */
export interface Assignment {
  monitorId: number;
  version: number;
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  /** Whether evidence of its failures may hold what the target answered. */
  keepBody: boolean;
  target: ProbeTarget;
}

/** Receives the definitions of the bucket, with revisions in order. */
export interface Assignees {
  /** `fresh`: it was added after the start, so its newest slot may not have been run. */
  assign(assignment: Assignment, fresh: boolean): void;
  /** It was deleted or paused, or belongs to other locations now. */
  release(monitorId: number): void;
}

/** Follows KV `definitions` for one location; resolves once all present definitions were delivered. */
export async function watchDefinitions(
  options: { bus: Bus; location: string; secrets: SecretBox; log: Log },
  assignees: Assignees,
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
      // The definition cannot be read, and the previous one is no longer wanted: no data. A new version may find all
      // definitions of another unreadable, so there is a metric and no log line for each.
      log.debug({ err: error, monitorId }, "invalid definition of a monitor");
      unreadable.add(key);
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
  // A slot's check must be over when the next is due, whatever was saved.
  const timeoutMs = Math.min(spec.timeoutMs, intervalMs * 0.95);
  const target = await compileSealed(JSON.parse(spec.check), secrets);
  return { monitorId, version, intervalMs, timeoutMs, retries, keepBody: spec.keepBody ?? true, target };
}

/**
 * Prepares the check of a definition, with its secrets opened; they exist in clear nowhere else.
 * @throws Error where a secret does not open, or the check is of no kind that this runner knows
 */
export async function compileSealed(check: unknown, secrets: SecretBox): Promise<ProbeTarget> {
  const opened = mapSealed(check, (sealed) => secrets.open(sealed, secretContexts.check));
  if (typeof opened !== "object" || opened === null) throw new Error("the definition holds no check");
  const read = readCheck({ ...opened });
  await loadKind(read.type);
  return compileCheck(read);
}
