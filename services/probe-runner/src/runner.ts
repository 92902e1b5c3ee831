import { type Bus, publishFact } from "@sonde/kit/bus/connect";
import { systemClock as clock } from "@sonde/kit/time/clock";
import { denied } from "@sonde/kit/service/config";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import type { Log } from "@sonde/kit/service/log";
import { batchBytes } from "@sonde/kit/bus/pack";
import { subjects } from "@sonde/proto/subjects";
import { createChecker } from "./checks/attempt.ts";
import { watchLoopLag } from "./checks/loop-lag.ts";
import { watchReach } from "./checks/reach.ts";
import { createReferenceHosts } from "./checks/reference-hosts.ts";
import { createTracer } from "./checks/trace.ts";
import type { Config } from "./config.ts";
import { createJudging } from "./probe/judging.ts";
import { createResultPublisher } from "./results/publisher.ts";
import { createScheduler } from "./schedule/scheduler.ts";
import { createSlotRunner } from "./schedule/slot-run.ts";
import { observeRunner, watchLateness } from "./telemetry.ts";

const maxFlushMs = 10_000;

export function createRunner({ id, bus, config, log }: { id: string; bus: Bus; config: Config; log: Log }) {
  const location = config.PROBE_LOCATION;
  const resolver = createResolver({ clock });
  const guard = createGuard({ denyCidrs: denied(config) });
  const lag = watchLoopLag(clock);
  const judging = createJudging(clock);
  const checker = createChecker({
    clock,
    limits: { total: config.PROBE_MAX_IN_FLIGHT, perHost: config.PROBE_MAX_PER_HOST },
    lag,
    reach: watchReach({ clock, resolver, guard, referenceHosts: createReferenceHosts(bus) }),
    resolver,
    guard,
    judging,
    log,
    busConnected: bus.connected,
  });
  const publisher = createResultPublisher({
    clock,
    runner: id,
    connected: bus.connected,
    send: (partition, bytes, batchId) =>
      publishFact(bus, subjects.results(partition, location), bytes, { id: batchId }),
    maxBytes: () => batchBytes(bus.nc),
    onDropped: (results, why, err) => log.error({ results, why, err }, "results were dropped"),
  });
  const lateness = watchLateness(clock, log);
  const slots = createSlotRunner({
    clock,
    checker,
    resolver,
    location,
    runner: id,
    publish: publisher.add,
    tracer: createTracer(clock, location, (path) => publisher.add(path, false)),
    onBegun: lateness.begun,
    onSkipped: () => lateness.skipped(1),
  });
  const scheduler = createScheduler({ clock, slots, onSkipped: lateness.skipped });
  const offReconnect = bus.onReconnect(publisher.retry);
  const stopObserving = observeRunner(checker, scheduler);

  return {
    id,
    location,
    checker,
    scheduler,
    publish: publisher.add,
    figures: lateness.figures,
    async stop() {
      await scheduler.stop();
      await publisher.flush(maxFlushMs);
      offReconnect();
      publisher.stop();
      stopObserving();
      lag.stop();
      judging.stop();
      resolver.close();
    },
  };
}
