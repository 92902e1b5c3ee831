import type { Handle } from "./exchange.ts";
import { register } from "./register.ts";
import { report } from "./report.ts";

/** `POST` alone, by path. */
export const routes: ReadonlyMap<string, Handle> = new Map<string, Handle>([
  ["/agent/v1/register", register],
  ["/agent/v1/report", report],
]);
