import { randomInt } from "node:crypto";
import { type Call, surely } from "./http.ts";
import { createLedger } from "./ledger.ts";

type Heartbeat = { id: number; pingUrl: string };

const everyMinutes = 60;
const [patienceMs, pollMs] = [60_000, 1_000];

/** Jobs that call their addresses by turns with a success and a failure: the last acknowledged call says what each is. */
export async function touchHeartbeats(call: Call, token: string, count: number) {
  const ledger = createLedger("heartbeat");
  const paths = new Map<string, string>();
  const ids = new Set<number>();
  for (let n = 1; n <= count; n++) {
    const input = { type: "heartbeat", name: `Job ${n}`, every: everyMinutes };
    const { status, body } = await call<{ monitor: Heartbeat }>("POST", "/api/monitors", input, token);
    if (status !== 201) throw new Error(`A heartbeat could not be made: ${status} ${JSON.stringify(body)}`);
    paths.set(String(body.monitor.id), new URL(body.monitor.pingUrl).pathname);
    ids.add(body.monitor.id);
  }
  const keys = [...paths.keys()];
  const ask = <Body>(path: string) => surely<Body>(call, `/api/monitors/${path}`, token);
  /** A flapping one is up again only after several successes: then the newest call says what it is. */
  const stateOf = async (key: string) => {
    const { monitor } = await ask<{ monitor: { status: string; flapping?: boolean } }>(key);
    if (monitor.flapping !== true) return monitor.status;
    const [newest] = (await ask<{ pings: { type: string }[] }>(`${key}/pings`)).pings;
    return newest?.type === "fail" ? "down" : "up";
  };

  return {
    ledger,
    ids,
    async write() {
      const key = keys[randomInt(keys.length)]!;
      const state = randomInt(2) === 0 ? "up" : "down";
      await ledger.write(key, state, () => call("POST", `${paths.get(key)}${state === "down" ? "/fail" : ""}`));
    },
    /** Those that are not what their last acknowledged call says, in words. */
    compare: () =>
      ledger.compare(async (key, possible) => {
        for (let waitedMs = 0; ; waitedMs += pollMs) {
          const state = await stateOf(key);
          if (possible.has(state) || waitedMs >= patienceMs) return state;
          await new Promise((resolve) => setTimeout(resolve, pollMs));
        }
      }),
  };
}
