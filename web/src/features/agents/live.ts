import type { Agent } from "@sonde/proto/http/agents/agents";
import type { AgentEvent } from "@sonde/proto/http/events";
import {
  eventsNamed,
  isIncidentOf,
  keepListLive,
  keepLive,
  keepRefetched,
  isOlderLive,
  removeRow,
} from "../../app/live/events.ts";

type AgentsPage = { agents: Agent[]; total: number };

/** What a live event changes of one agent. Events of other agents, and of the past, change nothing. */
export function applyToAgent(agent: Agent, event: AgentEvent): void {
  if (event.id !== agent.id) return;
  if (event.change === "figures") {
    // Two tabs, or a replay: older figures never win over newer ones.
    if (isOlderLive(event.lastSeen, agent.lastSeen)) return;
    agent.status = event.status;
    agent.lastSeen = event.lastSeen;
    applyUsage(agent, event);
  } else if (event.change === "state" && event.status !== undefined) agent.status = event.status;
  else if (event.change === "renamed" && event.name !== undefined) agent.name = event.name;
}

/** The percentages of a sample; what else it holds comes with the agent itself. `disk` is the fullest one's. */
function applyUsage(agent: Agent, { lastSeen, cpu, memory, load }: Extract<AgentEvent, { change: "figures" }>): void {
  const { latest } = agent;
  if (latest === undefined) return;
  latest.at = lastSeen;
  if (latest.cpu !== undefined) latest.cpu.usage = cpu;
  if (latest.memory !== undefined && memory !== null) latest.memory.usage = memory;
  if (latest.load !== undefined && load !== null) latest.load.one = load;
}

/** What one page of the list shows of an event. Answers whether the page may hold other rows now. */
export function applyToPage(page: AgentsPage, event: AgentEvent): boolean {
  if (event.change === "deleted") removeRow(page, page.agents, event.id);
  const agent = page.agents.find(({ id }) => id === event.id);
  if (agent !== undefined) applyToAgent(agent, event);
  if (event.change !== "figures") return true;
  // A list carries one disk and one interface: their figures may be moved in place. The first sample brings more.
  const { disks, network } = agent?.latest ?? {};
  if (disks?.length === 1 && disks[0] !== undefined && event.disk !== null) disks[0].usage = event.disk;
  if (network?.length === 1 && network[0] !== undefined) {
    network[0].receiveRate = event.receiveRate;
    network[0].sendRate = event.sendRate;
  }
  return agent !== undefined && agent.latest === undefined;
}

/** A whole sample comes with the agent itself; percentages move at once. */
const agentEveryMs = 2000;
const metricsEveryMs = 30_000;
const incidentsEveryMs = 1500;

/** Keeps a page of the list live. */
export const keepPageLive = keepListLive(
  "AgentList",
  (page: AgentsPage, { name, data }) => name === "agent" && applyToPage(page, data),
);

/** Keeps one agent live. */
export const keepAgentLive = keepLive(
  (id: number) => ({ type: "Agent", id }),
  (events, id, update: (change: (answer: { agent: Agent }) => void) => void) => {
    const own = eventsNamed("agent", events).filter(({ data }) => data.id === id);
    if (own.length === 0) return null;
    update(({ agent }) => {
      for (const { data } of own) applyToAgent(agent, data);
    });
    return agentEveryMs;
  },
);

/** Keeps an agent's charts live. */
export const keepMetricsLive = keepRefetched(
  ({ id }: { id: number }) => ({ type: "AgentMetrics", id }),
  ({ name, data }, { id }) => (name === "agent" && data.id === id ? metricsEveryMs : null),
);

/** Keeps an agent's incidents live. */
export const keepIncidentsLive = keepRefetched(
  (id: number) => ({ type: "AgentIncidents", id }),
  (event, id) => (isIncidentOf("agent", id, event) ? incidentsEveryMs : null),
);
