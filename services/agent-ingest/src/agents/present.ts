import { fromBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { type Sample, sample as sampleShape } from "@sonde/proto/http/agents/agents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import type { Context } from "../context.ts";
import { figuresOf } from "../state/samples.ts";
import { readReadings } from "../state/store.ts";
import type { StoredAgent } from "./store.ts";

export type PresentContext = Pick<Context, "db" | "limits">;

export async function presentAgent(ctx: PresentContext, agent: StoredAgent): Promise<KnownAgent> {
  const [presented] = await presentAgents(ctx, [agent], { light: false });
  return presented!;
}

/** `light` omits the parts of samples that lists do not show. */
export async function presentAgents(
  { db, limits }: PresentContext,
  agents: readonly StoredAgent[],
  { light }: { light: boolean },
): Promise<KnownAgent[]> {
  const readings = await readReadings(
    db,
    agents.map(({ id }) => id),
  );
  return agents.map((agent) => {
    const reading = readings.get(agent.id);
    const { id, name, hostname, ipAddresses, os, version, status, dependsOn, tags } = agent;
    const latest = reading && readSample(reading.sample, light);
    return {
      id,
      name,
      hostname,
      ipAddresses,
      os,
      version,
      status,
      dependsOn,
      tags,
      statusSince: instant(agent.statusSinceMs),
      lastSeen: reading === undefined ? null : instant(reading.lastSeenMs),
      uptime: reading?.uptimeSeconds ?? null,
      interval: agent.intervalMs / 1000,
      createdAt: instant(agent.createdAtMs),
      updatedAt: instant(agent.updatedAtMs),
      ...(reading === undefined ? {} : { skew: reading.skewMs / 1000 }),
      ...(latest === undefined ? {} : { latest }),
      thresholds: { ...limits.of(id), scope: limits.hasOwn(id) ? "agent" : "global" },
    };
  });
}

const instant = (ms: number) => new Date(ms).toISOString();

/**
 * `light`: only the fullest disk and the busiest interface. `undefined` if the sample was stored under looser rules
 * and is invalid now, so that it does not fail a whole list.
 */
function readSample(bytes: Uint8Array, light: boolean): Sample | undefined {
  const stored = fromBinary(SampleSchema, bytes);
  const at = stored.at && instant(timestampMs(stored.at));
  if (!light) return sampleShape.safeParse({ ...stored, at }).data;
  const { disk, network } = figuresOf(stored);
  const shown = { disks: disk === undefined ? [] : [disk], network: network === undefined ? [] : [network] };
  return sampleShape.safeParse({ ...stored, at, ...shown, temperatures: [], gpus: [] }).data;
}
