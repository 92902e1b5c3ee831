import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus";
import { type AgentFigures, AgentFiguresBatchSchema, AgentFiguresSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import type { Tracked } from "./tracked.ts";

/** Tells whoever listens of agents' newest figures. */
export type Live = {
  /** Within 200 ms. */
  tell(agent: Tracked): void;
  stop(): void;
};

const batchMs = 200;
const batchFigures = 1_000;

export function startLive(bus: Pick<Bus, "nc" | "connected">): Live {
  let queued = new Map<number, AgentFigures>();
  const flush = () => {
    if (queued.size === 0) return;
    const figures = [...queued.values()];
    queued = new Map();
    // Nobody keeps live figures: while the bus is away they are not owed.
    if (!bus.connected()) return;
    for (let at = 0; at < figures.length; at += batchFigures) {
      const batch = create(AgentFiguresBatchSchema, { figures: figures.slice(at, at + batchFigures) });
      bus.nc.publish(subjects.liveAgents, toBinary(AgentFiguresBatchSchema, batch));
    }
  };
  const flushing = setInterval(flush, batchMs);
  return {
    tell: (agent) => void queued.set(agent.id, figuresOf(agent)),
    stop: () => {
      clearInterval(flushing);
      flush();
    },
  };
}

function figuresOf({ id, status, reading }: Tracked): AgentFigures {
  const { cpu, memory, disks } = reading?.sample ?? {};
  const disk = disks === undefined || disks.length === 0 ? undefined : Math.max(...disks.map(({ usage }) => usage));
  return create(AgentFiguresSchema, {
    agentId: id,
    status,
    lastSeenMs: reading?.lastSeenMs ?? 0,
    ...(cpu?.usage === undefined ? {} : { cpuUsage: cpu.usage }),
    ...(memory === undefined ? {} : { memoryUsage: memory.usage }),
    ...(disk === undefined ? {} : { diskUsage: disk }),
  });
}
