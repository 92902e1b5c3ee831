import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { AgentSchema } from "@sonde/proto/gen/agents/v1/agents";
import { type Sample, SampleSchema } from "@sonde/proto/gen/agents/v1/samples";
import { readReadings } from "../state/store.ts";
import type { StoredAgent } from "./agent.ts";

export type AgentInit = MessageInitShape<typeof AgentSchema>;

/** One agent with its newest sample, whole. */
export async function presentAgent(db: Database, agent: StoredAgent): Promise<AgentInit> {
  const [presented = {}] = await presentAgents(db, [agent], { light: false });
  return presented;
}

/** Agents with what their newest samples said; `light` leaves out what a list does not show. */
export async function presentAgents(
  db: Database,
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
    if (reading === undefined) return { ...rest, intervalSeconds: intervalMs / 1000 };
    const latest = fromBinary(SampleSchema, reading.sample);
    return {
      ...rest,
      intervalSeconds: intervalMs / 1000,
      lastSeenMs: reading.lastSeenMs,
      skewMs: reading.skewMs,
      uptimeSeconds: reading.uptimeSeconds ?? undefined,
      latest: light ? lighten(latest) : latest,
    };
  });
}

/** A list shows usage: the fullest disk stands for all. */
function lighten(sample: Sample): Sample {
  const fullest = sample.disks.toSorted((left, right) => right.usage - left.usage).slice(0, 1);
  return create(SampleSchema, { ...sample, disks: fullest, network: [], temperatures: [], gpus: [] });
}
