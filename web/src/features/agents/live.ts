import { isOlderLive } from "../../lib/is-older-live.ts";
import type { Agent } from "@sonde/proto/http/agents";
import type { AgentEvent } from "@sonde/proto/http/events";

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
function applyUsage(agent: Agent, { lastSeen, cpu, memory }: Extract<AgentEvent, { change: "figures" }>): void {
  const { latest } = agent;
  if (latest === undefined) return;
  latest.at = lastSeen;
  if (latest.cpu !== undefined) latest.cpu.usage = cpu;
  if (latest.memory !== undefined && memory !== null) latest.memory.usage = memory;
}

/** What one page of the list shows of an event. Answers whether the page must be asked for anew: its rows may be others now. */
export function applyToPage(page: { agents: Agent[]; total: number }, event: AgentEvent): boolean {
  if (event.change === "deleted") {
    const before = page.agents.length;
    page.agents = page.agents.filter(({ id }) => id !== event.id);
    page.total -= before - page.agents.length;
    return true;
  }
  let isNew = false;
  for (const agent of page.agents) {
    applyToAgent(agent, event);
    // A list carries one disk, the fullest: its usage may be moved in place. The first sample brings more than figures.
    if (agent.id !== event.id || event.change !== "figures") continue;
    const [disk] = agent.latest?.disks ?? [];
    if (agent.latest === undefined) isNew = true;
    else if (agent.latest.disks?.length === 1 && disk !== undefined && event.disk !== null) disk.usage = event.disk;
  }
  return isNew || event.change !== "figures";
}
