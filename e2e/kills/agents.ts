import { randomInt, randomUUID } from "node:crypto";
import type { Answer, Call } from "./http.ts";
import { absent, createLedger } from "./ledger.ts";

interface Sample {
  at: string;
  bootId: string;
  sequence: number;
  cpu: { usage: number; cores: number };
  network: object[];
}

/** An agent that reports until the end and, like the real one, repeats samples that were not acknowledged. */
export interface Reporter {
  agentId: number;
  acknowledged: Set<number>;
  /** When each sample was taken. Sequence numbers start at 1. */
  takenAtMs: readonly number[];
  waiting(): number;
  report(): Promise<void>;
}

/** CPU usage in hundredths of a percent, different for neighbouring samples. */
export const cpuOf = (sequence: number) => (sequence * 37) % 10_000;

/** Bytes per second, so different that a missing sample changes the mean of many. */
export const rateOf = (sequence: number) => ((sequence * 7919) % 9973) * 1000;

const counted = { received: 0, sent: 0, packetsReceived: 0, packetsSent: 0 };
const [maxConcurrent, maxRegistered] = [200, 20];

export async function touchAgents(call: Call, token: string, count: number) {
  const ledger = createLedger("agent");
  const registered = new Map<string, number>();
  /** Includes the keys of deleted agents, which must be rejected. */
  const keys = new Map<string, string>();
  const reports = { acknowledged: 0, unanswered: 0, refusals: [] as string[] };
  let next = 1;

  const register = async (hostname: string): Promise<Answer<{ agentId?: number; key?: string }>> => {
    const made = await call<{ token?: string }>("POST", "/api/agents/tokens", {}, token);
    if (made.body.token === undefined) return { status: made.status, body: {} };
    const about = { hostname, ipAddresses: [], os: "Linux", version: "0.1.0", interval: 1 };
    const answer = await call<{ agentId?: number; key?: string }>("POST", "/agent/v1/register", {
      token: made.body.token,
      ...about,
    });
    // The audited request is the one that created the token.
    return { ...answer, requestId: made.requestId };
  };
  const createOne = () => {
    const hostname = `guest-${next++}`;
    return ledger.write(hostname, "registered", async () => {
      const answer = await register(hostname);
      const { agentId, key } = answer.body;
      if (agentId !== undefined && key !== undefined) {
        registered.set(hostname, agentId);
        keys.set(hostname, key);
      }
      return { ...answer, body: { ...answer.body } };
    });
  };
  const reporters: Reporter[] = [];
  for (let n = 1; n <= count; n++) {
    const { status, body } = await register(`reporter-${n}`);
    if (body.agentId === undefined || body.key === undefined)
      throw new Error(`An agent could not be registered: ${status}`);
    reporters.push(createReporter(call, body.agentId, body.key, reports));
  }
  return {
    ledger,
    reporters,
    reports,
    keyOf: (hostname: string) => keys.get(hostname),
    async write() {
      const writable = ledger.settled().filter((hostname) => registered.has(hostname));
      const guest = writable[randomInt(Math.max(1, writable.length))];
      const agentId = guest === undefined ? undefined : registered.get(guest);
      if (guest === undefined || agentId === undefined || writable.length < maxRegistered)
        return void (await createOne());
      if (await ledger.write(guest, absent, () => call("DELETE", `/api/agents/${agentId}`, undefined, token))) {
        registered.delete(guest);
      }
    },
  };
}

function createReporter(
  call: Call,
  agentId: number,
  key: string,
  counts: { acknowledged: number; unanswered: number; refusals: string[] },
): Reporter {
  const bootId = randomUUID();
  const acknowledged = new Set<number>();
  const takenAtMs: number[] = [];
  const waiting: Sample[] = [];
  let sequence = 0;
  return {
    agentId,
    acknowledged,
    takenAtMs,
    waiting: () => waiting.length,
    async report() {
      sequence++;
      const at = new Date();
      takenAtMs.push(at.getTime());
      waiting.push({
        at: at.toISOString(),
        bootId,
        sequence,
        cpu: { usage: cpuOf(sequence) / 100, cores: 2 },
        network: [{ interface: "eth0", receiveRate: rateOf(sequence), sendRate: 0, ...counted }],
      });
      const samples = waiting.slice(0, maxConcurrent);
      const body = { samples, sentAt: new Date().toISOString() };
      const answer = await call<{ accepted?: number }>("POST", "/agent/v1/report", body, key);
      if (answer.status === 200 && answer.body.accepted === samples.length) {
        waiting.splice(0, samples.length);
        for (const sample of samples) acknowledged.add(sample.sequence);
        counts.acknowledged++;
        return;
      }
      counts.unanswered++;
      if (answer.status !== 0 && answer.status < 500 && answer.status !== 429) {
        const response = `${answer.status} ${JSON.stringify(answer.body)}`;
        counts.refusals.push(`${new Date().toISOString()} report of agent ${agentId}: ${response}`);
      }
    },
  };
}
