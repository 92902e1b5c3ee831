import { randomInt } from "node:crypto";
import { type Call, getWithRetries } from "./http.ts";
import { createLedger } from "./ledger.ts";

type Heartbeat = { id: number; pingUrl: string };

const everyMinutes = 60;
const [patienceMs, pollMs] = [60_000, 1_000];

/** Jobs that send success and failure pings. The last acknowledged ping determines the state of each. */
export async function touchHeartbeats(call: Call, token: string, count: number) {
  const ledger = createLedger("heartbeat");
  const paths = new Map<string, string>();
  const ids = new Set<number>();
  for (let n = 1; n <= count; n++) {
    const input = { type: "heartbeat", name: `Job ${n}`, every: everyMinutes };
    const { status, body } = await call<{ monitor: Heartbeat }>("POST", "/api/monitors", input, token);
    if (status !== 201) throw new Error(`A heartbeat could not be created: ${status} ${JSON.stringify(body)}`);
    paths.set(String(body.monitor.id), new URL(body.monitor.pingUrl).pathname);
    ids.add(body.monitor.id);
  }
  const keys = [...paths.keys()];
  const get = <Body>(path: string) => getWithRetries<Body>(call, `/api/monitors/${path}`, token);
  /** A flapping heartbeat needs several successes to be up, so its newest ping counts instead. */
  const stateOf = async (key: string) => {
    const { monitor } = await get<{ monitor: { status: string; flapping?: boolean } }>(key);
    if (monitor.flapping !== true) return monitor.status;
    const [newest] = (await get<{ pings: { type: string }[] }>(`${key}/pings`)).pings;
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
