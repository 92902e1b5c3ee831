import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { publishLive } from "@sonde/kit/bus/publish-live";
import { type AgentFigures, AgentFiguresBatchSchema, AgentFiguresSchema } from "@sonde/proto/gen/agents/v1/agents";
import { subjects } from "@sonde/proto/subjects";
import type { ListedFigures } from "./samples.ts";
import type { TrackedAgent } from "./tracked.ts";

export type LiveAgents = ReturnType<typeof startLive>;

const batchMs = 200;
const noFigures: Partial<ListedFigures> = {};

export function startLive(bus: Pick<Bus, "nc" | "connected" | "log">) {
  let queued = new Map<number, AgentFigures>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (queued.size === 0) return;
    const items = [...queued.values()];
    queued = new Map();
    publishLive(bus, { subject: subjects.liveAgents, items, encode });
  };
  return {
    /** Publishes within 200 ms. */
    publish(agent: TrackedAgent): void {
      queued.set(agent.id, liveFiguresOf(agent));
      timer ??= setTimeout(flush, batchMs);
    },
    stop: flush,
  };
}

const encode = (figures: AgentFigures) =>
  toBinary(AgentFiguresBatchSchema, create(AgentFiguresBatchSchema, { figures: [figures] }));

function liveFiguresOf({ id, status, reading }: TrackedAgent): AgentFigures {
  const { cpu, memory, disk, network, load } = reading?.figures ?? noFigures;
  return create(AgentFiguresSchema, {
    agentId: id,
    status,
    lastSeenMs: reading?.lastSeenMs ?? 0,
    cpuUsage: cpu,
    memoryUsage: memory,
    diskUsage: disk?.usage,
    receiveRate: network?.receiveRate,
    sendRate: network?.sendRate,
    loadOne: load,
  });
}
