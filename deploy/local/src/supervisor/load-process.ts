import type { Service } from "@sonde/kit/service/lifecycle";
import { loadService, type ProcessName, servicesOf, stopTogether } from "./processes.ts";

/** Starts the services of a process. `mayOpen` settles when all other processes are ready. */
export type StartProcess = (mayOpen: () => Promise<void>) => Promise<Service>;

/** Loads the code of a process's services. */
export async function loadProcess(name: ProcessName): Promise<StartProcess> {
  if (name === "core") return (await import("./core.ts")).startCore;
  const starts = await Promise.all(servicesOf(name).map(loadService));
  return async () => stopTogether(await Promise.all(starts.map((start) => start())));
}
