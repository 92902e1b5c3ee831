import { flushCompileCache } from "node:module";
import { runMain, type Service } from "@sonde/kit/service/lifecycle";
import { registry } from "@sonde/kit/telemetry/metrics";
import { notifyParent } from "@sonde/kit/service/output";
import { startLoop } from "@sonde/kit/time/loop";
import type { ChildMessage, ParentMessage } from "./child-process.ts";
import { loadService, type ProcessName, servicesOf, stopTogether } from "./processes.ts";

// Before the start has finished, there is nothing to drain if the parent exits. Afterwards runMain drains.
const endAtOnce = () => process.exit(1);
process.once("disconnect", endAtOnce);
if (!process.connected) endAtOnce();

// A blocked event loop does not send this.
startLoop({ work: "signs of life", everyMs: 2_000, run: () => notifyParent({ alive: true } satisfies ChildMessage) });

const opening = Promise.withResolvers<void>();
process.on("message", (message: ParentMessage) => {
  if ("open" in message) return opening.resolve();
  registry.getMetricsAsJSON().then(
    (metrics) => notifyParent({ metrics } satisfies ChildMessage),
    () => {}, // This scrape lacks them.
  );
});
const mayOpen = () => {
  notifyParent({ waiting: true } satisfies ChildMessage);
  return opening.promise;
};

const name = process.argv[2] as ProcessName;
async function startOthers(): Promise<Service> {
  const starts = await Promise.all(servicesOf(name).map(loadService));
  return stopTogether(await Promise.all(starts.map((start) => start())));
}
await runMain(name, async () => {
  const service = name === "core" ? await (await import("./core.ts")).startCore(mayOpen) : await startOthers();
  process.off("disconnect", endAtOnce);
  return service;
});
flushCompileCache(); // A process that is killed later would not write it.
