import type { AuditEntry } from "@sonde/proto/http/audit";
import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { User } from "@sonde/proto/http/users";
import { type Call, getWithRetries } from "./http.ts";
import { absent } from "./ledger.ts";
import { stateOf, type Untouched } from "./monitors.ts";
import type { Load } from "./load.ts";

const [convergeMs, pollMs] = [120_000, 1000];

async function all<Item>(call: Call, token: string, path: string, name: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; ; page++) {
    const answer = await getWithRetries<Record<string, unknown>>(call, `${path}?page=${page}&pageSize=200`, token);
    const items = answer[name] as Item[];
    found.push(...items);
    if (items.length < 200) return found;
  }
}

/** Returns the target's key for the id of each HTTP monitor. */
export async function keysOfMonitors(call: Call, token: string): Promise<Map<number, number>> {
  const listed = await all<Monitor>(call, token, "/api/monitors", "monitors");
  const monitors = listed.filter(({ type }) => type === "http");
  return new Map(monitors.map(({ id, target }) => [id, Number(/\d+$/.exec(target)?.[0])]));
}

export const allIncidents = (call: Call, token: string) => all<Incident>(call, token, "/api/incidents", "incidents");

/** Waits until each untouched monitor matches the current state of its target. Describes those that do not. */
export async function converged(call: Call, token: string, untouched: readonly Untouched[]): Promise<string[]> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const monitors = await all<Monitor>(call, token, "/api/monitors", "monitors");
    const status = new Map(monitors.map(({ id, status }) => [id, status]));
    const problems = untouched
      .filter(({ id, kind, key }) => status.get(id) !== (kind === "flap" && key % 2 === 1 ? "down" : "up"))
      .map(({ id, kind, key }) => `monitor ${id} (${kind}/${key}) is ${status.get(id)}`);
    if (problems.length === 0 || waitedMs >= convergeMs) return problems;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Compares the state of every acknowledged write with the API's, and describes the differences. */
export async function compareWrites(call: Call, token: string, load: Load): Promise<string[]> {
  const { monitors, accounts, keys, agents, heartbeats } = load;
  const listed = await all<Monitor>(call, token, "/api/monitors", "monitors");
  const checked = listed.filter(({ type }) => type === "http");
  const byKey = new Map(checked.map((monitor) => [/\d+$/.exec(monitor.target)?.[0] ?? "", monitor]));
  const users = new Map(
    (await all<User>(call, token, "/api/users", "users")).map((user) => [user.username, user.role]),
  );
  const statusOf = async (method: string, path: string, body: unknown, bearer: string | undefined) => {
    for (let attempt = 1; ; attempt++) {
      const { status } = await call(method, path, body, bearer);
      if ((status !== 0 && status < 500) || attempt === 30) return status;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  return [
    ...(await monitors.ledger.compare((key) => {
      const monitor = byKey.get(key);
      if (monitor === undefined) return absent;
      const kind = new URL(monitor.target).pathname.split("/")[1] ?? "";
      return stateOf({ name: monitor.name, kind, paused: monitor.paused });
    })),
    ...(await accounts.users.compare((username) => users.get(username) ?? absent)),
    ...(await accounts.sessions.compare(async (key) => {
      const bearer = accounts.tokens.get(key);
      if (bearer === undefined) return absent;
      return (await statusOf("GET", "/api/auth/me", undefined, bearer)) === 200 ? "alive" : "ended";
    })),
    ...(await keys.ledger.compare(async (secret) =>
      (await statusOf("GET", "/api/monitors/tags", undefined, secret)) === 200 ? "taken" : absent,
    )),
    ...(await agents.ledger.compare(async (hostname) => {
      const key = agents.keyOf(hostname);
      if (key === undefined) return absent;
      const sample = { at: new Date().toISOString(), load: { one: 0, five: 0, fifteen: 0 } };
      const status = await statusOf("POST", "/agent/v1/report", { samples: [sample] }, key);
      return status === 200 ? "registered" : absent;
    })),
    ...(await heartbeats.compare()),
  ];
}

/** Describes acknowledged writes that did not appear in the audit log in time. */
export async function unauditedWrites(url: string, token: string, { ledgers }: Load): Promise<string[]> {
  const writes = ledgers.flatMap(({ acknowledged }) => [...acknowledged]);
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const response = await fetch(`${url}/api/audit/export`, { headers: { authorization: `Bearer ${token}` } });
    const lines = (await response.text()).split("\n").filter(Boolean);
    const audited = new Set(lines.map((line) => (JSON.parse(line) as AuditEntry).requestId));
    const lost = writes
      .filter(([id]) => !audited.has(id))
      .map(([id, what]) => `${what} (request ${id}) is not audited`);
    if (lost.length === 0 || waitedMs >= convergeMs) return lost;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** History of each monitor over the last 24 hours. */
export type Histories = ReadonlyMap<number, readonly HistoryBucket[]>;

export async function readHistories(call: Call, token: string, untouched: readonly Untouched[]): Promise<Histories> {
  const histories = new Map<number, readonly HistoryBucket[]>();
  for (const { id } of untouched) {
    const path = `/api/monitors/${id}/history?range=24h`;
    histories.set(id, (await getWithRetries<{ buckets: HistoryBucket[] }>(call, path, token)).buckets);
  }
  return histories;
}
