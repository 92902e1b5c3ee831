import { touchAgents } from "./agents.ts";
import { touchHeartbeats } from "./heartbeats.ts";
import type { Call } from "./http.ts";
import { touchKeys } from "./keys.ts";
import type { Ledger } from "./ledger.ts";
import { touchMonitors } from "./monitors.ts";
import { touchAccounts } from "./accounts.ts";

export interface Load {
  monitors: ReturnType<typeof touchMonitors>;
  accounts: Awaited<ReturnType<typeof touchAccounts>>;
  keys: ReturnType<typeof touchKeys>;
  agents: Awaited<ReturnType<typeof touchAgents>>;
  heartbeats: Awaited<ReturnType<typeof touchHeartbeats>>;
  /** Ledgers of audited writes. */
  ledgers: Ledger[];
  stop(): Promise<void>;
}

const [reporters, jobs] = [6, 12];
/** Pauses between the writes of one writer. Hashing a password takes 100 ms of CPU time. */
const everyMs = { monitors: 100, accounts: 700, keys: 150, agents: 1500, report: 1000, ping: 150 };

/** `from` gives a second load on the same installation distinct names and keys. */
export async function startLoad(call: Call, token: string, targetUrl: string, from = 10_000): Promise<Load> {
  const monitors = touchMonitors(call, token, targetUrl, from);
  const accounts = await touchAccounts(call, token, from);
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
    repeat(everyMs.accounts, accounts.write),
    repeat(everyMs.keys, keys.write),
    repeat(everyMs.agents, agents.write),
    repeat(everyMs.ping, heartbeats.write),
    ...agents.reporters.map(({ report }) => repeat(everyMs.report, report)),
  ];
  return {
    monitors,
    accounts,
    keys,
    agents,
    heartbeats,
    ledgers: [monitors.ledger, accounts.users, accounts.sessions, keys.ledger, agents.ledger],
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}
