import { overallState, type PublicState, type PublicStatus } from "@sonde/proto/http/status/status";
import { isOutdated, knownAt, type PageSnapshot, type PageStates } from "@sonde/proto/http/status/snapshot";

/** The public page's data: the snapshot with the states of now. `nowMs`: epoch milliseconds. */
export function joinStatus(snapshot: PageSnapshot, states: PageStates, nowMs: number): PublicStatus {
  const { title, description, logoUrl, theme } = snapshot.page;
  const monitors = snapshot.monitors.map((monitor) => ({ ...monitor, ...present(states.monitors[monitor.id]) }));
  const agents = snapshot.agents.map((agent) => ({ ...agent, ...present(states.agents[agent.id]) }));
  const open = snapshot.incidents.filter(({ kind, closedAt }) => kind === "announced" && closedAt === undefined);
  const shown: PublicState[] = [...monitors, ...agents].map(({ status }) => status);
  return {
    title,
    description,
    ...(logoUrl === null ? {} : { logoUrl }),
    theme,
    state: overallState(
      shown,
      open.flatMap(({ impact }) => impact ?? []),
    ),
    updatedAt: knownAt(states),
    outdated: isOutdated(states, nowMs),
    groups: snapshot.groups,
    monitors,
    agents,
    incidents: snapshot.incidents,
    maintenance: snapshot.maintenance,
  };
}

/** A target without a reported state is unknown. */
function present<Status extends PublicState>(state: { status: Status; sinceMs: number } | undefined) {
  if (state === undefined) return { status: "unknown" as const };
  return { status: state.status, since: new Date(state.sinceMs).toISOString() };
}
