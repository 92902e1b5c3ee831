import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { Drill } from "@sonde/proto/http/on-call/drills";
import type { onCallContract } from "@sonde/proto/rpc/on-call";

const at = new Date(Date.UTC(2026, 0, 31, 12)).toISOString();

/** The only drill of the fakes, id 7. */
export const fakeDrill = (id: number, changed: Partial<Drill> = {}): Drill => {
  if (id !== 7) throw new AppError("not_found", "Drill does not exist");
  const notified = [{ name: "Slack ops", at, state: "delivered" as const }];
  const runs = [{ id: "d3", startedAt: at, acknowledgedBy: [], notified }];
  return { id, target: "policy:7", targetName: "Ops", createdBy: "ada", createdAt: at, runs, ...changed };
};

const proven = { channels: [{ id: 7, name: "Slack ops", lastProvenAt: at }], contacts: [], policies: [] };

type FakeDrills = Pick<
  Handlers<typeof onCallContract>,
  "listDrills" | "startDrill" | "deleteDrill" | "acknowledgeDrill"
>;

export const drillHandlers: FakeDrills = {
  listDrills: async () => ({ drills: [fakeDrill(7)], total: 1, proven }),
  startDrill: async ({ target, schedule }) => ({ drill: fakeDrill(7, { target, schedule }) }),
  deleteDrill: async ({ id }) => (fakeDrill(id), {}),
  acknowledgeDrill: async ({ id }) => ({ drill: fakeDrill(id) }),
};
