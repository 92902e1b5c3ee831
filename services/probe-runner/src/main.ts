import { serve } from "@sonde/kit/bus/rpc";
import { secretBox } from "@sonde/kit/secrets";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { startService } from "@sonde/kit/service/start";
import { joinGroup } from "@sonde/kit/sharding/group";
import { runnerUser } from "@sonde/proto/permissions";
import { probesContract } from "@sonde/proto/rpc/probes";
import { runnerGroup } from "@sonde/proto/subjects";
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { type Config, readConfig } from "./config.ts";
import { compileSealed, watchDefinitions } from "./definitions/watch.ts";
import { endpoints } from "./endpoints.ts";
import { warmUp } from "./probe/warm-up.ts";
import { createRunner } from "./runner.ts";
import { labelWithLocation } from "./telemetry.ts";

const makeUpMs = 10_000;

/** Starts a runner. `stop` hands its slots to the others, finishes what is under way, and publishes it. */
export function start(config: Config): Promise<Service> {
  // Some of a check's garbage outlives the young generation. Left alone, the heap grows by 200 MB before it is swept.
  setFlagsFromString("--heap-growing-percent=40");
  const location = config.PROBE_LOCATION;
  labelWithLocation(location);
  const id = randomBytes(4).toString("hex");
  return startService({
    name: "probe-runner",
    user: runnerUser(location),
    config,
    logFields: { runner: id, location },
    async build({ log, clock, use, connectBus }) {
      const secrets = secretBox(config);
      const bus = await connectBus();
      const runner = use(createRunner({ id, bus, config, log }));
      use(await watchDefinitions({ bus, location, secrets, log }, runner.scheduler));
      // Joining is mostly listening: time to get warm in, without waiting for it.
      void warmUp(clock);
      const membership = await joinGroup({
        bus,
        group: runnerGroup(location),
        log,
        trouble: runner.checker.trouble,
        ...(config.SONDE_SOLE_RUNNER ? { listenMs: 0 } : {}),
      });
      membership.onChange(runner.scheduler.regroup);
      // Slots that became due while this process started, without another runner, are made up for.
      runner.scheduler.start(membership, Math.max(performance.timeOrigin, clock.now() - makeUpMs));
      const table = endpoints({ ...runner, compile: (check) => compileSealed(check, secrets) });
      const rpc = await serve(bus, probesContract, table, { scope: location, log });
      // Others take the slots over at once, however long a check by hand still runs.
      use({ stop: () => Promise.all([membership.leave(), rpc.stop()]) });
      log.info({ monitors: runner.scheduler.monitors() }, "the runner is ready");
    },
  });
}

if (import.meta.main) await runMain("probe-runner", () => start(readConfig()));
