import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { Slo } from "@sonde/proto/http/slos";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";

const at = "2026-01-31T12:00:00.000Z";

/** The only service level of the fakes, id 7. */
export const fakeSlo = (id: number, changed: Partial<Slo> = {}): Slo => {
  if (id !== 7) throw new AppError("not_found", "Service level does not exist");
  return {
    id,
    name: "Checkout",
    targets: [{ type: "monitor", id: 7, name: "monitor 7" }],
    combine: "worst",
    objective: 99.9,
    window: "month",
    timeZone: "UTC",
    burnAlerts: true,
    from: "2026-01-01T00:00:00.000Z",
    until: at,
    attained: 99.95,
    budget: {
      allowedMinutes: 43.2,
      spentMinutes: 21.6,
      leftMinutes: 21.6,
      noDataMinutes: 3,
      seenSlots: 43_197,
      badSlots: 22,
    },
    burnRate: 0.5,
    sentence: "21 minutes left this month",
    createdAt: at,
    updatedAt: at,
    ...changed,
  };
};

export const sloHandlers = {
  listSlos: async () => ({ slos: [fakeSlo(7)], total: 1 }),
  getSlo: async ({ id }) => fakeSlo(id),
  createSlo: async ({ name }) => fakeSlo(7, { name }),
  updateSlo: async ({ id, name = "Checkout" }) => fakeSlo(id, { name }),
  deleteSlo: async ({ id }) => (fakeSlo(id), {}),
} satisfies Partial<Handlers<typeof monitorsContract>>;
