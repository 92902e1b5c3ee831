import { connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/kit/embedded/nats";
import { startPostgres } from "@sonde/kit/embedded/postgres";
import { silentLog } from "@sonde/kit/service/log";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { firstAdmin } from "../../e2e/support/api.ts";
import { type Figure, ms, percentile } from "../probe/figures.ts";
import { startWatched } from "../gateway/processes.ts";

const [revoked, pollMs] = [50, 5];

/** How long after its revocation was asked for two gateways still take a key; and how long after that was answered. */
export async function revocation(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
  await chmod(folder, 0o711); // Root's PostgreSQL runs as another user, who must get in.
  const [nats, postgres] = await Promise.all([startNats(), startPostgres({ dataDir: join(folder, "postgres") })]);
  await (await connectBus({ url: nats.url, name: "bench", log: silentLog })).close();
  const environment = { NATS_URL: nats.url, DATABASE_URL: postgres.url, LOG_LEVEL: "error" };
  const one = await startWatched("core.ts", environment);
  const other = await startWatched("gateway.ts", environment);
  const ports = [one.port, other.port];
  try {
    const { api } = await firstAdmin(`http://127.0.0.1:${one.port}`);
    const [asked, answered]: [number[], number[]] = [[], []];
    for (let count = 0; count < revoked; count += 1) {
      const made = { name: `key ${count}`, scopes: ["read"] };
      const { key, secret } = await api.send<{ key: { id: number }; secret: string }>("POST", "/api/keys", made);
      // A tool of MCP asks no service for a ping.
      while (!(await Promise.all(ports.map((port) => isTaken(port, secret)))).every(Boolean)) await sleep(pollMs);
      const begunMs = performance.now();
      const revoking = api.send("DELETE", `/api/keys/${key.id}`);
      const done = revoking.then(() => performance.now());
      const untilRefused = ports.map(async (port) => {
        while (await isTaken(port, secret)) await sleep(pollMs);
        return performance.now();
      });
      const lastMs = Math.max(...(await Promise.all(untilRefused)));
      asked.push(lastMs - begunMs);
      answered.push(Math.max(0, lastMs - (await done)));
    }
    const [p50, most] = [percentile(Float64Array.from(asked), 0.5), Math.max(...asked)];
    const after = Math.max(...answered);
    return {
      goal: "K2",
      what: `a revoked key is refused by both of two gateways, ${revoked} times`,
      wanted: "≤ 1 s",
      measured: `p50 ${ms(p50)}, at most ${ms(most)} after it was asked for, ${ms(after)} after it was answered`,
      held: most <= 1000,
    };
  } finally {
    await Promise.all([one.stop(), other.stop()]);
    await Promise.all([nats.stop(), postgres.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function isTaken(port: number, secret: string): Promise<boolean> {
  const { status } = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  if (status !== 200 && status !== 401) throw new Error(`answered ${status}`);
  return status === 200;
}
