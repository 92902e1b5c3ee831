import type { policyHandlers } from "./fake-policies.ts";
import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { Schedule } from "@sonde/proto/http/on-call/schedules";
import type { onCallContract } from "@sonde/proto/rpc/on-call";

const atMs = Date.UTC(2026, 0, 31, 12);
const hourMs = 3_600_000;
const at = (hours: number) => new Date(atMs + hours * hourMs).toISOString();
export const feedToken = "fake-feed-token";

/** The only schedule of the fakes, id 7. The second user is on call, and gave one shift to a user who was deleted. */
export const fakeSchedule = (id: number, changed: Partial<Schedule> = {}): Schedule => {
  if (id !== 7) throw new AppError("not_found", "On-call schedule does not exist");
  return {
    id,
    name: "Primary",
    timeZone: "Europe/Berlin",
    layers: [
      {
        members: [1, 2],
        every: { n: 1, unit: "week" },
        handoff: { weekday: 1, time: "09:00" },
        from: "2026-01-01",
      },
    ],
    overrides: [{ id: 4, userId: 99, start: at(24), end: at(36) }],
    now: { userId: 2, until: at(24) },
    next: { userId: 99, start: at(24) },
    hasFeed: true,
    createdAt: at(0),
    updatedAt: at(0),
    ...changed,
  };
};

const shifts = {
  shifts: [
    [2, atMs, atMs + 24 * hourMs, false],
    [99, atMs + 24 * hourMs, atMs + 36 * hourMs, true],
  ] satisfies [number, number, number, boolean][],
  gaps: [[atMs + 36 * hourMs, atMs + 40 * hourMs]] satisfies [number, number][],
};

export const onCallHandlers: Omit<Handlers<typeof onCallContract>, keyof typeof policyHandlers> = {
  listSchedules: async () => ({ schedules: [fakeSchedule(7)], total: 1 }),
  getSchedule: async ({ id }) => fakeSchedule(id),
  createSchedule: async (fields) => fakeSchedule(7, fields),
  updateSchedule: async ({ id }) => fakeSchedule(id),
  deleteSchedule: async ({ id }) => (fakeSchedule(id), {}),
  listShifts: async ({ id }) => (fakeSchedule(id), shifts),
  previewShifts: async () => shifts,
  listGaps: async () => ({ gaps: [{ scheduleId: 7, name: "Primary", start: at(36), end: at(40) }] }),
  createOverride: async ({ id, ...fields }) => (fakeSchedule(id), { id: 5, ...fields }),
  deleteOverride: async ({ id }) => (fakeSchedule(id), {}),
  makeFeed: async ({ id }) => (fakeSchedule(id), { token: feedToken }),
  readFeed: async ({ id, token }) => {
    if (token !== feedToken) throw new AppError("not_found", "On-call schedule does not exist");
    return { ...shifts, name: fakeSchedule(id).name };
  },
};
