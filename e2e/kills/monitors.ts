import { randomInt } from "node:crypto";
import type { Call } from "./http.ts";
import { absent, createLedger, type Ledger } from "./ledger.ts";

/** A monitor that is not changed after it was made. */
export interface Untouched {
  id: number;
  /** What its URL says, by which the target knows it. */
  key: number;
  kind: "ok" | "slow" | "flap";
  intervalMs: number;
  /** It was acknowledged by then. */
  madeAtMs: number;
}

interface Wanted {
  name: string;
  kind: string;
  paused: boolean;
}

export const stateOf = ({ name, kind, paused }: Wanted) => `${name} on ${kind}${paused ? ", paused" : ""}`;

const atMostTouched = 40;
/** Longer than a runner takes to notice that the other is gone, so that no slot in between is overtaken by the next. */
const [slowIntervalMs, flapIntervalMs] = [10_000, 7000];

/** Monitors whose every slot is accounted for: seven of eight are always well, the others up and down by turns. */
export async function makeUntouched(call: Call, token: string, targetUrl: string): Promise<Untouched[]> {
  const made: Untouched[] = [];
  for (let key = 1; key <= 96; key++) {
    const kind = key % 16 === 0 || key % 16 === 7 ? "flap" : key % 2 === 0 ? "slow" : "ok";
    const intervalMs = kind === "flap" ? flapIntervalMs : slowIntervalMs;
    const input = {
      name: `Untouched ${key}`,
      url: `${targetUrl}/${kind}/${key}`,
      interval: intervalMs / 60_000,
      retries: 0,
    };
    const { status, body } = await call<{ monitor: { id: number } }>("POST", "/api/monitors", input, token);
    if (status !== 201) throw new Error(`A monitor could not be made: ${status} ${JSON.stringify(body)}`);
    made.push({ id: body.monitor.id, key, kind, intervalMs, madeAtMs: Date.now() });
  }
  return made;
}

/** Monitors that are made, changed, paused, resumed and deleted, one write after the other; keys count up from `from`. */
export function touchMonitors(call: Call, token: string, targetUrl: string, from = 10_000) {
  const ledger: Ledger = createLedger("monitor");
  const known = new Map<string, Wanted & { id: number }>();
  let next = from;
  const urlOf = (kind: string, key: string) => `${targetUrl}/${kind}/${key}`;

  const make = async () => {
    const key = String(next++);
    const wanted = { name: `Touched ${key}`, kind: "ok", paused: false };
    const input = { name: wanted.name, url: urlOf("ok", key), interval: slowIntervalMs / 60_000 };
    await ledger.write(key, stateOf(wanted), async () => {
      const answer = await call<{ monitor?: { id: number } }>("POST", "/api/monitors", input, token);
      if (answer.body.monitor !== undefined) known.set(key, { ...wanted, id: answer.body.monitor.id });
      return { ...answer, body: { ...answer.body } };
    });
  };
  const change = async (key: string) => {
    const was = known.get(key);
    if (was === undefined) return;
    const { id, ...rest } = was;
    const [path, write] = [`/api/monitors/${id}`, randomInt(10)];
    const to = (wanted: Wanted, method: string, where: string, body?: unknown) =>
      ledger
        .write(key, stateOf(wanted), () => call(method, where, body, token))
        .then((done) => done && known.set(key, { ...wanted, id }));
    if (write === 0) {
      if (await ledger.write(key, absent, () => call("DELETE", path, undefined, token))) known.delete(key);
    } else if (write < 4) {
      const paused = !rest.paused;
      await to({ ...rest, paused }, "POST", `${path}/${paused ? "pause" : "resume"}`);
    } else if (write < 7) {
      const name = `Touched ${key} again ${randomInt(2 ** 40)}`;
      await to({ ...rest, name }, "PUT", path, { name });
    } else {
      const kind = rest.kind === "ok" ? "slow" : "ok";
      await to({ ...rest, kind }, "PUT", path, { url: urlOf(kind, key) });
    }
  };
  return {
    ledger,
    async write() {
      const settled = ledger.settled().filter((key) => known.has(key));
      if (settled.length < atMostTouched && randomInt(3) === 0) return make();
      const key = settled[randomInt(Math.max(1, settled.length))];
      return key === undefined ? make() : change(key);
    },
  };
}
