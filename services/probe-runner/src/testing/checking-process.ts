import { systemClock as clock } from "@sonde/kit/time/clock";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { silentLog } from "@sonde/kit/service/log";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createChecker } from "../checks/attempt.ts";
import { watchReach } from "../checks/reach.ts";
import { createJudging } from "../probe/judging.ts";
import { targetOf } from "./check.ts";

// Runs on a machine of the test network. `serve` starts a web server. Otherwise each line of standard input has URLs to
// check concurrently; their statuses are printed in a line.
if (process.argv[2] === "serve") {
  createServer((_request, response) => void response.end("ok")).listen(8080, () => process.stdout.write("ready\n"));
  process.stdin.resume().on("end", () => process.exit());
} else {
  const guard = createGuard();
  const resolver = createResolver({ clock });
  const checker = createChecker({
    clock,
    limits: { total: 100, perHost: 10 },
    lag: { begin() {}, end() {}, maxLagSince: () => 0, stop() {} },
    reach: watchReach({ clock, resolver, guard }),
    resolver,
    guard,
    judging: createJudging(clock),
    log: silentLog,
    busConnected: () => true,
  });
  const check = async (url: string) => {
    const target = targetOf({ url });
    const controller = new AbortController();
    const { outcome } = await checker.run({ target, timeoutMs: 1000, timedOutBefore: false, controller });
    return outcome.status === "none" ? outcome.trouble : outcome.status;
  };
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines)
    process.stdout.write(`${JSON.stringify(await Promise.all(line.split(" ").map(check)))}\n`);
}
