import type { Logger as Log } from "pino";
import { isTracing, type Spans } from "./spans.ts";

/** Loads the exporter only if an endpoint is set. */
export async function openSpans(service: string, log: Log): Promise<Spans | null> {
  if (!isTracing()) return null;
  const { otlpSpans } = await import("./otlp.ts");
  return otlpSpans(service, log);
}
