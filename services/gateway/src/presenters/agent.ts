import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Agent as AgentMessage } from "@sonde/proto/gen/agents/v1/agents";
import type { Sample as SampleMessage } from "@sonde/proto/gen/agents/v1/samples";
import { type Agent, type AgentStatus, type Sample, sample as sampleShape } from "@sonde/proto/http/agents";
import { instantOf, instantOrNull } from "./instant.ts";
import { present } from "./present.ts";

/** An agent as people see it. */
export function presentAgent(agent: AgentMessage): Agent {
  const latest = agent.latest === undefined ? undefined : presentSample(agent.latest);
  return {
    id: agent.id,
    name: agent.name,
    hostname: agent.hostname,
    ipAddresses: agent.ipAddresses,
    os: agent.os,
    version: agent.version,
    status: agent.status as AgentStatus,
    lastSeen: instantOrNull(agent.lastSeenMs),
    uptime: agent.uptimeSeconds ?? null,
    interval: agent.intervalSeconds,
    ...(agent.skewMs === undefined ? {} : { skew: agent.skewMs / 1000 }),
    createdAt: instantOf(agent.createdAtMs),
    updatedAt: instantOf(agent.updatedAtMs),
    ...(agent.registeredAtMs === undefined ? {} : { registeredAt: instantOf(agent.registeredAtMs) }),
    ...(agent.duplicateKey === undefined ? {} : { duplicateKey: agent.duplicateKey }),
    ...(agent.incidentsHeldBack === undefined ? {} : { incidentsHeldBack: agent.incidentsHeldBack }),
    ...(latest === undefined ? {} : { latest }),
  };
}

/** A sample's protobuf fields have the public names; the shape leaves out what protobuf adds to them. */
function presentSample(message: SampleMessage): Sample | undefined {
  // One that was stored when less was refused is left out, and does not fail a whole list.
  return sampleShape.safeParse({ ...message, at: instantOf(timestampMs(present(message.at))) }).data;
}
