import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Api } from "@sonde/testing/api";
import { until } from "../cluster/wait.ts";

export type LastingData = Awaited<ReturnType<typeof readLasting>>;

/** Reads the data that must outlive the pods. */
export async function readLasting(api: Api) {
  const page = "page=1&pageSize=200";
  const { monitors } = await api.get<{ monitors: Monitor[] }>(`/api/monitors?${page}`);
  const { incidents } = await api.get<{ incidents: { id: string }[] }>(`/api/incidents?${page}`);
  const { agents } = await api.get<{ agents: { id: number }[] }>(`/api/agents?${page}`);
  const { users } = await api.get<{ users: { id: number }[] }>(`/api/users?${page}`);
  const first = monitors.map(({ id }) => id).toSorted((left, right) => left - right)[0] ?? 0;
  const { checks } = await api.get<{ checks: CheckResult[] }>(`/api/monitors/${first}/checks?limit=200`);
  return { monitors, incidents, agents, users, checks };
}

/** Reads the data once a check exists that `checks` lacks. */
export const withNewCheck = (api: Api, { checks }: LastingData): Promise<LastingData> =>
  until("a new check", async () => {
    const now = await readLasting(api);
    return now.checks.some(({ slot }) => !checks.some((one) => one.slot === slot)) ? now : undefined;
  });

export function lostOf(before: LastingData, after: LastingData): string[] {
  return [
    ...missing("monitor", before.monitors, after.monitors),
    ...missing("incident", before.incidents, after.incidents),
    ...missing("agent", before.agents, after.agents),
    ...missing("user", before.users, after.users),
    ...before.checks
      .filter(({ slot }) => !after.checks.some((one) => one.slot === slot))
      .map(({ slot }) => `the check of ${slot}`),
  ];
}

function missing(what: string, before: readonly { id: unknown }[], after: readonly { id: unknown }[]): string[] {
  return before.filter(({ id }) => !after.some((one) => one.id === id)).map(({ id }) => `${what} ${String(id)}`);
}
