import type { Log } from "@sonde/kit/service/log";
import { gauge } from "@sonde/kit/telemetry/metrics";
import type { TimerClock } from "@sonde/kit/time/clock";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import type { Cluster } from "./cluster.ts";
import { type OwnedMonitors, type Planned, planMonitors, tokenOf } from "./plan.ts";
import { type SondeClient, SondeRefusal } from "./sonde.ts";
import { type ClusterObject, type Wish, wishOf } from "./translate.ts";

const objectCount = gauge(
  "sonde_discovery_objects",
  "Annotated objects, by whether their monitor matches their annotations",
  ["state"],
);

export const maxObjects = 2000;
const debounceMs = 2_000;
/** Interval of a full synchronisation even without changes, because a user may have released a monitor. */
const wholeMs = 600_000;
const [firstRetryMs, maxRetryMs] = [5_000, 300_000];

export type DiscoveryOptions = {
  name: string;
  cluster: Cluster;
  sonde: SondeClient;
  clock: TimerClock;
  log: Log;
};
export type Discovery = Loop & {
  changed(): void;
  /** True if the latest document was applied. */
  isApplied(): boolean;
};

export function startDiscovery({ name, cluster, sonde, clock, log }: DiscoveryOptions): Discovery {
  let known: OwnedMonitors | undefined;
  let applied: string | undefined;
  let wholeAtMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let isBeyond = false;
  const refused = new Map<string, string>();
  let reported: ReadonlyMap<string, string> = new Map();
  const wishes = new WeakMap<ClusterObject, Wish>();

  const readWishes = (owned: OwnedMonitors): Wish[] => {
    const all = cluster.objects().map(({ kind, object }) => {
      const wish = wishes.get(object) ?? wishOf(name, kind, object);
      wishes.set(object, wish);
      return wish;
    });
    if (all.length > maxObjects !== isBeyond) {
      isBeyond = all.length > maxObjects;
      if (isBeyond) log.warn({ objects: all.length }, `only ${maxObjects} annotated objects are monitored`);
    }
    if (!isBeyond) return all;
    // Objects that have a monitor keep it.
    return all.toSorted((a, b) => Number(owned.has(b.key)) - Number(owned.has(a.key))).slice(0, maxObjects);
  };
  const report = (faults: ReadonlyMap<string, string>) => {
    for (const [object, reason] of faults)
      if (reported.get(object) !== reason) log.warn({ object, reason }, "monitor of object not updated");
    reported = faults;
  };
  const apply = async ({ monitors, removals }: Planned): Promise<void> => {
    const { create, update, remove } = await sonde.apply(monitors, removals);
    if (create.length + update.length + remove.length === 0) return;
    log.info({ create, update: update.map(({ path }) => path), remove }, "monitors applied");
  };
  /** Records rejected entries, which keep their former version, so that the rest can be applied. */
  const recordRejection = (thrown: unknown, { monitors }: Planned): void => {
    const before = refused.size;
    for (const { path, message } of thrown instanceof SondeRefusal ? thrown.faults : []) {
      const keys = [...monitors.keys()].filter((one) => `${path}.`.startsWith(`monitors.${one}.`));
      const [key] = keys.toSorted((a, b) => b.length - a.length); // Names may contain dots.
      if (key === undefined) continue;
      const token = tokenOf(key, monitors.get(key)!.entry);
      const field = path.slice(`monitors.${key}.`.length);
      if (!refused.has(token)) refused.set(token, field === "" ? message : `${field}: ${message}`);
    }
    if (refused.size === before) throw thrown;
  };

  const synchronise = async (): Promise<void> => {
    const isWhole = clock.elapsedMs() - wholeAtMs > wholeMs - debounceMs;
    if (isWhole) refused.clear();
    if (isWhole || known === undefined) known = await sonde.readOwned();
    for (;;) {
      const requested = readWishes(known);
      const planned = planMonitors({ wishes: requested, known, absent: cluster.absent(), refused, nowMs: clock.now() });
      report(planned.faults);
      objectCount.set({ state: "monitored" }, requested.length - planned.faults.size);
      objectCount.set({ state: "faulty" }, planned.faults.size);
      const text = JSON.stringify([...planned.monitors]);
      const isNothing = planned.monitors.size + known.size === 0;
      if (isNothing || (text === applied && !isWhole)) break;
      try {
        await apply(planned);
      } catch (thrown) {
        recordRejection(thrown, planned);
        known = await sonde.readOwned();
        continue;
      }
      [known, applied] = [planned.monitors, text];
      break;
    }
    if (isWhole) wholeAtMs = clock.elapsedMs();
  };

  const loop = startLoop({
    work: "discovery",
    log,
    clock,
    everyMs: () => (failures === 0 ? wholeMs : Math.min(firstRetryMs * 2 ** (failures - 1), maxRetryMs)),
    async run() {
      if (!cluster.isListed()) return;
      try {
        await synchronise();
        failures = 0;
      } catch (thrown) {
        failures += 1;
        [known, applied] = [undefined, undefined];
        throw thrown;
      }
    },
  });
  return {
    ...loop,
    // After a failure the retry decides.
    changed: () => (failures === 0 ? loop.nudge(debounceMs) : undefined),
    isApplied: () => applied !== undefined || (known?.size === 0 && failures === 0),
  };
}
