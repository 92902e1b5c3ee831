import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Idempotent } from "@sonde/kit/postgres/idempotency";
import { AnnouncementSchema, type StatusPageService } from "@sonde/proto/gen/status/v1/status";
import { type Context, within } from "../context.ts";
import { addUpdate } from "./add-update.ts";
import { presentAnnouncement } from "./announcement.ts";
import { createAnnouncement } from "./create.ts";
import type { AnnouncementWithUpdates } from "./list-store.ts";
import { getAnnouncement, listAnnouncements } from "./read.ts";
import { removeAnnouncement } from "./remove.ts";
import { updateAnnouncement } from "./update.ts";

type Methods =
  | "listAnnouncements"
  | "getAnnouncement"
  | "createAnnouncement"
  | "updateAnnouncement"
  | "deleteAnnouncement"
  | "addAnnouncementUpdate";

const present = ({ announcement, updates }: AnnouncementWithUpdates) => presentAnnouncement(announcement, updates);
const one = async (verb: () => Promise<AnnouncementWithUpdates>) => present(await orUnavailable(verb));

/** The endpoints of announcements. */
export const announcementEndpoints = (
  ctx: Context,
  idempotent: Idempotent,
): Pick<Handlers<typeof StatusPageService>, Methods> => ({
  listAnnouncements: async (request) => {
    const { announcements, ...rest } = await orUnavailable(() => listAnnouncements(ctx, request));
    return { announcements: announcements.map(present), ...rest };
  },
  getAnnouncement: ({ id }) => one(() => getAnnouncement(ctx, id)),
  createAnnouncement: (request, call) =>
    idempotent(call, AnnouncementSchema, (db, afterwards) =>
      one(() => createAnnouncement(within(ctx, db, afterwards), request)),
    ),
  updateAnnouncement: (request) => one(() => updateAnnouncement(ctx, request)),
  deleteAnnouncement: async ({ id }) => {
    await orUnavailable(() => removeAnnouncement(ctx, id));
    return {};
  },
  addAnnouncementUpdate: (request) => one(() => addUpdate(ctx, request)),
});
