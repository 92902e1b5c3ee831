import type { RemoteRunnerFacts } from "@sonde/proto/http/monitors/runners";
import type { MemberFigures } from "@sonde/kit/sharding/group";
import type { Context } from "../context.ts";
import type { RunnerRow } from "./store.ts";

/** All locations with live runners, unserved ones, and those with remote runners, by name. */
export async function listLocations({ unserved, locations, runners }: Context) {
  const { runners: rows, tokens } = await runners.read();
  const served = unserved.list();
  const remote = new Set([...rows.map(({ location }) => location), ...tokens.keys()]);
  for (const { name } of served) remote.delete(name);
  const others = [...remote].map((name) => ({
    name,
    runners: locations.runners(name),
    monitors: unserved.monitors(name),
  }));
  const listed = [...served, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    locations: listed.map((location) => {
      const { name } = location;
      const own = rows.filter((row) => row.location === name);
      const openTokens = tokens.get(name) ?? 0;
      if (own.length === 0 && openTokens === 0) return location;
      const figures = locations.figures(name);
      return { ...location, remote: { runners: own.map((row) => presentRunner(row, figures)), openTokens } };
    }),
  };
}

/** @param figures heartbeats of the location's living runners */
export function presentRunner(row: RunnerRow, figures: readonly MemberFigures[]): RemoteRunnerFacts {
  const { id, name, version, createdAtMs, lastSeenAtMs } = row;
  const own = figures.findLast(({ facts }) => facts["runner"] === id);
  const seenAtMs = own?.atMs ?? lastSeenAtMs ?? createdAtMs;
  const about = { id, name, version, lastSeenAt: new Date(seenAtMs).toISOString(), connected: own !== undefined };
  if (own === undefined) return about;
  const { checksPerSecond, lagMs, nowMs = own.atMs } = own.facts;
  return { ...about, checksPerSecond, lagMs, clockOffsetMs: Math.round(nowMs - own.atMs) };
}
