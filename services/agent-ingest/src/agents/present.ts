import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { AgentSchema } from "@sonde/proto/gen/agents/v1/agents";
import { type Sample, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import type { Context } from "../context.ts";
import { figuresOf } from "../state/figures.ts";
import { readReadings } from "../state/store.ts";
import type { StoredAgent } from "./agent.ts";

export type AgentInit = MessageInitShape<typeof AgentSchema>;
export type PresentContext = Pick<Context, "db" | "limits">;

/** One agent with its newest sample, whole. */
export async function presentAgent(ctx: PresentContext, agent: StoredAgent): Promise<AgentInit> {
  const [presented = {}] = await presentAgents(ctx, [agent], { light: false });
  return presented;
}

/** Agents with what their newest samples said; `light` leaves out what a list does not show. */
export async function presentAgents(
  { db, limits }: PresentContext,
  agents: readonly StoredAgent[],
  { light }: { light: boolean },
): Promise<AgentInit[]> {
  const readings = await readReadings(
    db,
    agents.map(({ id }) => id),
  );
  return agents.map((agent) => {
    const reading = readings.get(agent.id);
    const { intervalMs, revision: _revision, duplicateKeyAtMs: _seen, incidentsHeldBackAtMs: _held, ...rest } = agent;
    const shown = { ...rest, intervalSeconds: intervalMs / 1000, thresholds: thresholdsOf(limits, agent.id) };
    if (reading === undefined) return shown;
    const latest = fromBinary(SampleSchema, reading.sample);
    return {
      ...shown,
      lastSeenMs: reading.lastSeenMs,
      skewMs: reading.skewMs,
      uptimeSeconds: reading.uptimeSeconds ?? undefined,
      latest: light ? lighten(latest) : latest,
    };
  });
}

/** A list shows usage: the fullest disk and the busiest interface stand for all. */
function lighten(sample: Sample): Sample {
  const { disk, network } = figuresOf(sample);
  return create(SampleSchema, {
    ...sample,
    disks: disk === undefined ? [] : [disk],
    network: network === undefined ? [] : [network],
    temperatures: [],
    gpus: [],
  });
}

function thresholdsOf(limits: Context["limits"], agentId: number): AgentInit["thresholds"] {
  const { cpu, memory, disk } = limits.of(agentId);
  const scope = limits.hasOwn(agentId) ? "agent" : "global";
  return { cpu: cpu ?? undefined, memory: memory ?? undefined, disk: disk ?? undefined, scope };
}
