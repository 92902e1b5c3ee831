import { AppError, unavailable } from "@sonde/kit/errors";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { Context } from "../context.ts";
import { openBed } from "./bed.ts";

export type FakeIncident = {
  id: string;
  targetId: number;
  kind: string;
  openedAtMs: number;
  closedAtMs?: number;
};

export async function openAnnouncing() {
  const clock: FakeClock = fakeClock();
  const there = { monitors: [1, 2, 3], agents: [1, 2] };
  const incidents: Record<string, FakeIncident[]> = { monitors: [], agents: [] };
  const unavailableServices = new Set<string>();
  const requests: unknown[] = [];
  let changes = 0;
  let mailsDue = 0;
  const answer = <Answer>(service: string, made: Answer): Promise<Answer> =>
    unavailableServices.has(service) ? Promise.reject(unavailable(service)) : Promise.resolve(made);
  const sources = {
    monitors: {
      listMonitors: ({ ids }: { ids: number[] }) => {
        requests.push({ monitors: ids });
        // Returns only one monitor, as if the rest did not fit into a message.
        const found = ids.filter((id) => there.monitors.includes(id));
        const [first, ...rest] = found;
        return answer("monitors", {
          monitors: first === undefined ? [] : [{ id: first, status: "up" }],
          restIds: rest,
        });
      },
    },
    agents: {
      listAgents: ({ ids }: { ids: number[] }) => {
        requests.push({ agents: ids });
        return answer("agents", {
          agents: ids.filter((id) => there.agents.includes(id)).map((id) => ({ id, status: "online" })),
          restIds: [],
        });
      },
    },
    incidents: {
      getIncident: ({ id }: { id: string }, { scope }: { scope: string }) => {
        requests.push({ incident: id, scope });
        const found = incidents[scope]?.find((one) => one.id === id);
        if (found === undefined && !unavailableServices.has(scope)) {
          return Promise.reject(new AppError("not_found", "Incident does not exist"));
        }
        return answer(scope, { incident: found });
      },
      listIncidents: ({ filter }: { filter: { targetIds: number[]; kind: string } }, { scope }: { scope: string }) => {
        const found = (incidents[scope] ?? []).filter(
          ({ targetId, kind }) => filter.targetIds.includes(targetId) && kind === filter.kind,
        );
        return answer(scope, {
          incidents: found.map(({ targetId, openedAtMs, closedAtMs, ...incident }, rank) => ({
            incident: {
              ...incident,
              target: { type: scope === "agents" ? "agent" : "monitor", id: targetId, name: "" },
              openedAt: new Date(openedAtMs).toISOString(),
              closedAt: closedAtMs === undefined ? undefined : new Date(closedAtMs).toISOString(),
            },
            rank,
          })),
          total: found.length,
        });
      },
    },
  };
  const ctx: Context = {
    ...(await openBed({ clock })),
    sources: sources as unknown as Context["sources"],
    publicUrl: null,
    changed: () => void (changes += 1),
    mailDue: () => void (mailsDue += 1),
  };
  return {
    ctx,
    clock,
    there,
    incidents,
    unavailableServices,
    requests,
    changes: () => changes,
    mailsDue: () => mailsDue,
  };
}
