import { serve } from "@sonde/kit/bus/rpc";
import { locationKeys } from "@sonde/kit/secret-keys";
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
import type { Remote } from "./remote/start.ts";
import { createRunner } from "./runner.ts";
import { labelWithLocation } from "./telemetry.ts";

const catchUpMs = 10_000;

/** Starts a runner. `stop` hands over its slots, then finishes and publishes the checks under way. */
export function start(config: Config, remote?: Remote): Promise<Service> {
  // Some garbage of checks outlives the young generation. With V8's default the heap grows by 200 MB before a sweep.
  setFlagsFromString("--heap-growing-percent=40");
  const location = config.PROBE_LOCATION;
  labelWithLocation(location);
  const id = randomBytes(4).toString("hex");
  return startService({
    name: "probe-runner",
    user: runnerUser(location),
    connect: remote?.connect,
    config,
    logFields: { runner: id, location },
    async build({ log, clock, use, connectBus }) {
      // A location that also has remote runners has checks sealed with its own keys.
      const keys = `${config.SONDE_KEY_CHECK},${locationKeys(config.SONDE_KEY_CHECK, location)}`;
      const secrets = secretBox({ SONDE_KEY_CHECK: keys });
      const bus = await connectBus();
      const runner = use(createRunner({ id, bus, config, log }));
      use(
        await watchDefinitions({ bus, location, secrets, log, onUnreadable: remote?.onUnreadable }, runner.scheduler),
      );
      // Joining mostly waits for other members, so warm up in parallel.
      void warmUp(clock);
      const membership = await joinGroup({
        bus,
        group: runnerGroup(location),
        log,
        trouble: runner.checker.trouble,
        ...(remote && { facts: () => ({ runner: remote.runnerId, nowMs: clock.now(), ...runner.figures() }) }),
        ...(config.SONDE_SOLE_RUNNER ? { listenMs: 0 } : {}),
      });
      membership.onChange(runner.scheduler.regroup);
      // Catch up on slots that became due while this process started, unless another runner covered them.
      runner.scheduler.start(membership, Math.max(performance.timeOrigin, clock.now() - catchUpMs));
      const table = endpoints({ ...runner, compile: (check) => compileSealed(check, secrets) });
      const rpc = await serve(bus, probesContract, table, { scope: location, log });
      // Leave first: others take over the slots at once, even if a manual check is still running.
      use({ stop: () => Promise.all([membership.leave(), rpc.stop()]) });
      log.info({ monitors: runner.scheduler.monitors() }, "the runner is ready");
    },
  });
}

/** With `SONDE_URL`, the runner connects through the gateway. */
export const runProgram = (): Promise<void> =>
  runMain("probe-runner", async () => {
    if (!process.env["SONDE_URL"]) return start(readConfig());
    const { startRemote } = await import("./remote/start.ts");
    return startRemote(process.env, start);
  });

if (import.meta.main) await runProgram();
