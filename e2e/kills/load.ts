import { touchAgents } from "./agents.ts";
import { touchHeartbeats } from "./heartbeats.ts";
import type { Call } from "./http.ts";
import { touchKeys } from "./keys.ts";
import type { Ledger } from "./ledger.ts";
import { touchMonitors } from "./monitors.ts";
import { touchPeople } from "./people.ts";

/** Everybody who writes through the gateway while services are killed. */
export interface Load {
  monitors: ReturnType<typeof touchMonitors>;
  people: Awaited<ReturnType<typeof touchPeople>>;
  keys: ReturnType<typeof touchKeys>;
  agents: Awaited<ReturnType<typeof touchAgents>>;
  heartbeats: Awaited<ReturnType<typeof touchHeartbeats>>;
  /** Of writes that the audit has. */
  ledgers: Ledger[];
  /** Settles when every write that was under way is over. */
  stop(): Promise<void>;
}

const [reporters, jobs] = [6, 12];
/** Waits between two writes of one writer. Hashing a password takes a tenth of a second of a core. */
const everyMs = { monitors: 100, people: 700, keys: 150, agents: 1500, report: 1000, ping: 150 };

/** `from`: gives a second load on the same Sonde names and keys of its own. */
export async function startLoad(call: Call, token: string, targetUrl: string, from = 10_000): Promise<Load> {
  const monitors = touchMonitors(call, token, targetUrl, from);
  const people = await touchPeople(call, token, from);
  const keys = touchKeys(call, token);
  const agents = await touchAgents(call, token, reporters);
  const heartbeats = await touchHeartbeats(call, token, jobs);
  let stopping = false;
  const repeat = async (waitMs: number, write: () => Promise<unknown>) => {
    while (!stopping) {
      await write();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  };
  const loops = [
    repeat(everyMs.monitors, monitors.write),
    repeat(everyMs.monitors, monitors.write),
    repeat(everyMs.people, people.write),
    repeat(everyMs.keys, keys.write),
    repeat(everyMs.agents, agents.write),
    repeat(everyMs.ping, heartbeats.write),
    ...agents.reporters.map(({ report }) => repeat(everyMs.report, report)),
  ];
  return {
    monitors,
    people,
    keys,
    agents,
    heartbeats,
    ledgers: [monitors.ledger, people.users, people.sessions, keys.ledger, agents.ledger],
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}
