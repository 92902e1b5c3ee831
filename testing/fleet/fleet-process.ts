/**
 * Runs many agents in one process, each at its own phase of the interval. The parent sends their number and target, and
 * queries results by messages.
 */
import { connections } from "./connections.ts";
import type { Ask, Orders, Seen, FleetAnswers } from "./fleet.ts";
import { type SimulatedOutcome, simulatedAgent } from "./simulated-agent.ts";

let seen: Seen = { tookMs: [], outcomes: {} };
let sampling = true;
let agents: ReturnType<typeof simulatedAgent>[] = [];

const onOutcome = ({ tookMs, outcome }: SimulatedOutcome) => {
  if (outcome === "accepted") seen.tookMs.push(tookMs);
  seen.outcomes[outcome] = (seen.outcomes[outcome] ?? 0) + 1;
};

function start({ port, identities, intervalMs, pooled, together = false }: Orders): void {
  const client = connections(port, pooled);
  agents = identities.map((identity) => simulatedAgent(identity, intervalMs, client, onOutcome));
  const startedMs = performance.now();
  agents.forEach((agent, index) => {
    const phaseMs = together ? 0 : ((index + Math.random()) / agents.length) * intervalMs;
    const report = (round: number) => {
      if (!sampling) return;
      agent.report();
      const dueMs = startedMs + phaseMs + (round + 1) * intervalMs;
      setTimeout(() => report(round + 1), dueMs - performance.now());
    };
    setTimeout(() => report(0), phaseMs);
  });
}

const answers: { [What in Ask]: () => FleetAnswers[What] } = {
  seen: () => {
    const before = seen;
    seen = { tookMs: [], outcomes: {} };
    return before;
  },
  count: () => ({ waiting: agents.reduce((sum, agent) => sum + agent.waiting(), 0) }),
  halt: () => {
    sampling = false;
    return null;
  },
  ledgers: () => agents.map(({ ledger }) => ledger),
};

process.on("message", (message: { orders: Orders } | { ask: Ask }) => {
  if ("orders" in message) start(message.orders);
  else process.send?.(answers[message.ask]());
});
process.on("disconnect", () => process.exit(0));
