import { randomInt } from "node:crypto";
import type { Call } from "./http.ts";
import { absent, createLedger, type Ledger } from "./ledger.ts";

export interface Untouched {
  id: number;
  /** Identifies the monitor at the target; part of its URL. */
  key: number;
  kind: "ok" | "slow" | "flap";
  intervalMs: number;
  /** When the creation was acknowledged. */
  createdAtMs: number;
}

interface Definition {
  name: string;
  kind: string;
  paused: boolean;
}

export const stateOf = ({ name, kind, paused }: Definition) => `${name} on ${kind}${paused ? ", paused" : ""}`;

const maxTouched = 40;
/** Longer than a runner takes to notice that the other is gone, so a delayed slot is not overtaken by the next. */
const [slowIntervalMs, flapIntervalMs] = [10_000, 7000];

/** Seven of eight monitors have healthy targets, the others go up and down. */
export async function createUntouched(call: Call, token: string, targetUrl: string): Promise<Untouched[]> {
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
    if (status !== 201) throw new Error(`A monitor could not be created: ${status} ${JSON.stringify(body)}`);
    made.push({ id: body.monitor.id, key, kind, intervalMs, createdAtMs: Date.now() });
  }
  return made;
}

/** Writes to monitors, one at a time. Keys count up from `from`. */
export function touchMonitors(call: Call, token: string, targetUrl: string, from = 10_000) {
  const ledger: Ledger = createLedger("monitor");
  const existing = new Map<string, Definition & { id: number }>();
  let next = from;
  const urlOf = (kind: string, key: string) => `${targetUrl}/${kind}/${key}`;

  const make = async () => {
    const key = String(next++);
    const definition = { name: `Touched ${key}`, kind: "ok", paused: false };
    const input = { name: definition.name, url: urlOf("ok", key), interval: slowIntervalMs / 60_000 };
    await ledger.write(key, stateOf(definition), async () => {
      const answer = await call<{ monitor?: { id: number } }>("POST", "/api/monitors", input, token);
      if (answer.body.monitor !== undefined) existing.set(key, { ...definition, id: answer.body.monitor.id });
      return { ...answer, body: { ...answer.body } };
    });
  };
  const change = async (key: string) => {
    const was = existing.get(key);
    if (was === undefined) return;
    const { id, ...rest } = was;
    const [path, write] = [`/api/monitors/${id}`, randomInt(10)];
    const to = (definition: Definition, method: string, where: string, body?: unknown) =>
      ledger
        .write(key, stateOf(definition), () => call(method, where, body, token))
        .then((done) => done && existing.set(key, { ...definition, id }));
    if (write === 0) {
      if (await ledger.write(key, absent, () => call("DELETE", path, undefined, token))) existing.delete(key);
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
      const settled = ledger.settled().filter((key) => existing.has(key));
      if (settled.length < maxTouched && randomInt(3) === 0) return make();
      const key = settled[randomInt(Math.max(1, settled.length))];
      return key === undefined ? make() : change(key);
    },
  };
}
