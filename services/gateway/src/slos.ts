import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { Slo } from "@sonde/proto/http/slos";
import type { Services } from "./services.ts";

const pageSize = 200;

/** Reads all service levels, at most 1,000. */
export async function readSlos({ monitors }: Pick<Services, "monitors">, ask: AskOptions): Promise<Slo[]> {
  const list = (page: number) => monitors.listSlos({ page, pageSize, language: "en-US" }, ask);
  const { slos, total } = await list(1);
  const pages = Math.max(0, Math.ceil(total / pageSize) - 1);
  const rest = await Promise.all(Array.from({ length: pages }, (_, at) => list(at + 2)));
  return [...slos, ...rest.flatMap((page) => page.slos)];
}
