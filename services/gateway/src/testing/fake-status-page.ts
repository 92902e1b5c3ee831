import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type {
  AnnouncementSchema,
  MaintenanceSchema,
  StatusPageService,
  SubscriberSchema,
} from "@sonde/proto/gen/status/v1/status";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { gzipSync } from "node:zlib";

type Plain<S extends typeof AnnouncementSchema | typeof MaintenanceSchema | typeof SubscriberSchema> =
  MessageInitShape<S>;

const atMs = Date.UTC(2026, 0, 31, 12);
const known = (id: number, missing: "Maintenance does not exist" | "Announcement does not exist") => {
  if (id !== 7) throw new AppError("not_found", missing);
};

export const fakeMaintenance = (id: number): Plain<typeof MaintenanceSchema> => {
  known(id, "Maintenance does not exist");
  return {
    id,
    fields: {
      name: "Database upgrade",
      note: "",
      targets: { values: [{ type: "monitor", id: 7 }] },
      startMs: atMs + 3_600_000,
      endMs: atMs + 7_200_000,
      timeZone: "Europe/Berlin",
      rrule: "FREQ=WEEKLY;BYDAY=SU",
      public: true,
    },
    status: "scheduled",
    nextStartMs: atMs + 3_600_000,
    nextEndMs: atMs + 7_200_000,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  };
};

export const fakeAnnouncement = (id: number): Plain<typeof AnnouncementSchema> => {
  known(id, "Announcement does not exist");
  return {
    id,
    title: "Payments are slow",
    impact: "minor",
    targets: { values: [{ type: "monitor", id: 7 }] },
    incidentId: "m5",
    state: "investigating",
    createdAtMs: atMs,
    updatedAtMs: atMs,
    updates: [{ id: 1, state: "investigating", text: "We are **looking** at it.", atMs }],
  };
};

const fakeSubscriber: Plain<typeof SubscriberSchema> = {
  id: 7,
  email: "reader@example.com",
  status: "confirmed",
  services: { values: [{ type: "monitor", id: 7 }] },
  language: "en-US",
  createdAtMs: atMs,
  confirmedAtMs: atMs,
};

/** A page with one service that works. */
export const statusPageHandlers: Handlers<typeof StatusPageService> = {
  getConfig: async () => ({ config: JSON.stringify(defaultStatusConfig) }),
  updateConfig: async ({ config }) => ({
    config: JSON.stringify({ ...defaultStatusConfig, ...(JSON.parse(config) as object) }),
    updatedAtMs: atMs,
  }),
  previewPage: async () => ({ html: gzipSync("<!doctype html><title>Preview</title>") }),
  listMaintenance: async ({ ids }) => ({
    windows: ids.length === 0 || ids.includes(7) ? [fakeMaintenance(7)] : [],
    total: 1,
  }),
  createMaintenance: async () => fakeMaintenance(7),
  updateMaintenance: async ({ id }) => fakeMaintenance(id),
  endMaintenance: async ({ id }) => fakeMaintenance(id),
  deleteMaintenance: async ({ id }) => (known(id, "Maintenance does not exist"), {}),
  listAnnouncements: async () => ({ announcements: [fakeAnnouncement(7)], total: 1 }),
  getAnnouncement: async ({ id }) => fakeAnnouncement(id),
  createAnnouncement: async () => fakeAnnouncement(7),
  updateAnnouncement: async ({ id }) => fakeAnnouncement(id),
  deleteAnnouncement: async ({ id }) => (known(id, "Announcement does not exist"), {}),
  addAnnouncementUpdate: async ({ id }) => fakeAnnouncement(id),
  listSubscribers: async () => ({ subscribers: [fakeSubscriber], total: 1 }),
  deleteSubscriber: async ({ id }) => {
    if (id !== 7) throw new AppError("not_found", "Subscriber does not exist");
    return {};
  },
  subscribe: async () => ({}),
  confirmSubscription: async () => ({}),
  unsubscribe: async () => ({}),
};
