import { connectBus } from "@sonde/kit/bus/connect";
import { systemClock as clock } from "@sonde/kit/time/clock";
import { opsServer, runMain, type Service } from "@sonde/kit/service/lifecycle";
import { createLog } from "@sonde/kit/service/log";
import { serve } from "@sonde/kit/bus/rpc";
import { secretBox } from "@sonde/kit/secrets";
import { joinGroup } from "@sonde/kit/sharding/group";
import { ProbesService } from "@sonde/proto/gen/probes/v1/probes";
import { runnerGroup } from "@sonde/proto/subjects";
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { type Config, readConfig } from "./config.ts";
import { compileSpec } from "./definitions/spec.ts";
import { watchDefinitions } from "./definitions/watch.ts";
import { endpoints } from "./endpoints.ts";
import { warmUp } from "./probe/warm-up.ts";
import { createRunner } from "./runner.ts";

/** Starts a runner. `stop` hands its slots to the others, finishes what is under way, and publishes it. */
export async function start(config: Config): Promise<Service> {
  // Some of a check's garbage outlives the young generation. Left alone, the heap grows by 200 MB before it is swept.
  setFlagsFromString("--heap-growing-percent=40");
  const location = config.PROBE_LOCATION;
  const id = randomBytes(4).toString("hex");
  const log = createLog("probe-runner", config.LOG_LEVEL).child({ runner: id, location });
  const secrets = secretBox(config.SONDE_SECRET_KEY);
  let ready = () => false;
  const ops = await opsServer({ port: config.OPS_PORT, checks: { bus: () => ready() }, log });
  const bus = await connectBus({ url: config.NATS_URL, name: "probe-runner", log, shrink: config.SONDE_LOCAL ? 4 : 1 });

  const runner = createRunner({ id, bus, config, log });
  const definitions = await watchDefinitions({ bus, location, secrets, log }, runner.scheduler);
  // Joining is mostly listening: time to get warm in, without waiting for it.
  void warmUp(clock);
  const membership = await joinGroup({ bus, group: runnerGroup(location), log });
  membership.onChange(runner.scheduler.regroup);
  // Slots that fell due while this process came up, and nobody else was there, are made up for.
  runner.scheduler.start(membership, Math.max(performance.timeOrigin, clock.now() - makeUpMs));
  const table = endpoints({ ...runner, compile: (spec) => compileSpec(spec, secrets) });
  const rpc = await serve(bus, ProbesService, table, { scope: location, log });
  ready = bus.connected;
  log.info({ monitors: runner.scheduler.monitors() }, "the runner is ready");

  return {
    async stop() {
      await Promise.all([membership.leave(), rpc.stop()]);
      await definitions.stop();
      await runner.stop();
      await Promise.all([ops.stop(), bus.close()]);
    },
  };
}

const makeUpMs = 10_000;

if (import.meta.main) await runMain("probe-runner", () => start(readConfig()));
