import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Agent as AgentMessage, ThresholdsInForce as ThresholdsMessage } from "@sonde/proto/gen/agents/v1/agents";
import type { Sample as SampleMessage } from "@sonde/proto/gen/agents/v1/samples";
import { type Agent, type Sample, sample as sampleShape, type ThresholdsInForce } from "@sonde/proto/http/agents";
import { instantOf, instantOrNone, instantOrNull } from "./instant.ts";
import { present } from "./present.ts";
import { presentTargetRefs } from "./target-refs.ts";
import { readAgentStatus, readThresholdScope } from "./unions.ts";

/**
 * An agent as people see it.
 * @param inMaintenance whether it is in maintenance now
 */
export function presentAgent(agent: AgentMessage, inMaintenance: true | undefined): Agent {
  return {
    id: agent.id,
    name: agent.name,
    hostname: agent.hostname,
    ipAddresses: agent.ipAddresses,
    os: agent.os,
    version: agent.version,
    status: readAgentStatus(agent.status),
    lastSeen: instantOrNull(agent.lastSeenMs),
    uptime: agent.uptimeSeconds ?? null,
    interval: agent.intervalSeconds,
    inMaintenance,
    dependsOn: presentTargetRefs(agent.dependsOn),
    skew: agent.skewMs === undefined ? undefined : agent.skewMs / 1000,
    createdAt: instantOf(agent.createdAtMs),
    updatedAt: instantOf(agent.updatedAtMs),
    registeredAt: instantOrNone(agent.registeredAtMs),
    duplicateKey: agent.duplicateKey,
    incidentsHeldBack: agent.incidentsHeldBack,
    latest: agent.latest && presentSample(agent.latest),
    thresholds: agent.thresholds && presentThresholds(agent.thresholds),
  };
}

function presentThresholds({ cpu, memory, disk, scope }: ThresholdsMessage): ThresholdsInForce {
  return { cpu: cpu ?? null, memory: memory ?? null, disk: disk ?? null, scope: readThresholdScope(scope) };
}

/** A sample's protobuf fields have the public names; the shape leaves out what protobuf adds to them. */
function presentSample(message: SampleMessage): Sample | undefined {
  // One that was stored when less was refused is left out, and does not fail a whole list.
  return sampleShape.safeParse({ ...message, at: instantOf(timestampMs(present(message.at))) }).data;
}
