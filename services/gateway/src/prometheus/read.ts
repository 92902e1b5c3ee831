import { share } from "@sonde/kit/cache";
import { orNull, unavailable } from "@sonde/kit/errors";
import { type IncidentKind, incidentKinds } from "@sonde/proto/http/incidents/incidents";
import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { Deps } from "../deps.ts";
import { readIncidents } from "../incidents/read.ts";
import { readWhole } from "../middleware/batches.ts";
import { readSlos } from "../slos.ts";
import { readUptimes } from "../uptimes/read.ts";
import { kumaFamilies } from "../kuma/metrics.ts";
import { familiesOf, type Readings } from "./families.ts";
import { writeText } from "./text.ts";

const monitorsPerCall = 1000;

type Parts = Pick<Deps, "services" | "maintenance" | "clock">;
type Reading = Parts & { ask: AskOptions };

const freshMs = 10_000;

/** @throws AppError `unavailable` without monitors or agents */
export function createScrape(parts: Parts): Deps["scrape"] {
  const { clock } = parts;
  const shared = { keyOf: () => "", freshMs, clock };
  const read = share((ask: AskOptions) => readAll({ ...parts, ask }), shared);
  const formats = {
    sonde: share(async (ask: AskOptions) => writeText(familiesOf(await read(ask))), shared),
    kuma: share(async (ask: AskOptions) => writeText(kumaFamilies(await read(ask), clock.now())), shared),
  };
  return (format, ask) => formats[format](ask);
}

async function readAll({ services, maintenance, clock, ask }: Reading): Promise<Readings> {
  const [monitors, agents, openIncidents] = await Promise.all([
    readWhole(
      (query) => services.scraped.listMonitors({ ...query, compact: true }, ask),
      (page) => page.monitors,
    ),
    readWhole(
      (query) => services.agents.listAgents(query, ask),
      (page) => page.agents,
    ),
    countOpen({ services, maintenance, clock, ask }),
  ]);
  const ids = monitors.map(({ id }) => id);
  const groups = Array.from({ length: Math.ceil(ids.length / monitorsPerCall) }, (_, index) =>
    ids.slice(index * monitorsPerCall, (index + 1) * monitorsPerCall),
  );
  const [uptimes, phases, slos] = await Promise.all([
    Promise.all(groups.map((group) => readUptimes(services, group, ask))),
    Promise.all(groups.map((monitorIds) => orNull(services.metrics.monitorPhases({ monitorIds }, ask)))),
    orNull(readSlos(services, ask)),
  ]);
  const isWhole = <Part>(parts: readonly (Part | null)[]): parts is Part[] => !parts.includes(null);
  const nowMs = clock.now();
  return {
    monitors,
    agents,
    uptimes: isWhole(uptimes) ? new Map(uptimes.flatMap((part) => [...part])) : null,
    phases: isWhole(phases)
      ? new Map(phases.flatMap((part) => part.monitors.map((of) => [of.monitorId, of] as const)))
      : null,
    slos,
    openIncidents,
    inMaintenance: { monitor: maintenance.covered("monitor", nowMs), agent: maintenance.covered("agent", nowMs) },
  };
}

/** Empty if they cannot be counted completely. */
async function countOpen(reading: Reading): Promise<Partial<Record<IncidentKind, number>>> {
  const counts = incidentKinds.map(async (kind) => {
    const { total, unavailable: away = [] } = await readIncidents(reading, { page: 1, pageSize: 1, open: true, kind });
    if (away.length > 0) throw unavailable(away.join());
    return [kind, total] as const;
  });
  return Object.fromEntries((await orNull(Promise.all(counts))) ?? []);
}
