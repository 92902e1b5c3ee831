import {
  announcementAnswer,
  announcementInput,
  announcementPatch,
  announcementsAnswer,
  announcementsQuery,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import { readInBatches } from "../middleware/batches.ts";
import { command, route } from "../route.ts";

const params = { id: "Announcement does not exist" } as const;
const limits =
  "At most 100 announcements per day and 100 open ones; each has at most 200 updates with 400,000 bytes in total.";

export const announcementRoutes = [
  route("GET /api/announcements", "session", {
    summary: "List announcements, open ones first, then the newest",
    query: announcementsQuery,
    answer: announcementsAnswer,
    handle: async (input) => {
      const { services, query, ask } = input;
      const first = await services.statusPage.listAnnouncements(query, ask);
      const list = (wanted: { ids: number[]; pageSize: number }) => services.statusPage.listAnnouncements(wanted, ask);
      return { announcements: readInBatches(input, first, list, (page) => page.announcements), total: first.total };
    },
  }),
  route("POST /api/announcements", "write", {
    idempotent: true,
    summary: "Announce an incident on the public page; subscribers are notified of its first update",
    description: limits,
    body: announcementInput,
    status: 201,
    answer: announcementAnswer,
    message: "Announcement created",
    handle: async ({ services, body, ask }) => ({
      announcement: await services.statusPage.createAnnouncement(body, ask),
    }),
  }),
  route("GET /api/announcements/:id", "session", {
    summary: "Get an announcement with its updates",
    params,
    answer: announcementAnswer,
    handle: async ({ services, params: { id }, ask }) => ({
      announcement: await services.statusPage.getAnnouncement({ id }, ask),
    }),
  }),
  route("PUT /api/announcements/:id", "write", {
    summary: "Change all or some fields of an announcement, including its post-mortem",
    params,
    body: announcementPatch,
    answer: announcementAnswer,
    message: "Announcement updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      announcement: await services.statusPage.updateAnnouncement({ ...body, id }, ask),
    }),
  }),
  command("DELETE /api/announcements/:id", "write", {
    summary: "Delete an announcement with its updates",
    params,
    message: "Announcement successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.statusPage.deleteAnnouncement({ id }, ask),
  }),
  route("POST /api/announcements/:id/updates", "write", {
    summary: "Post an update, which sets the announcement's state: resolved closes it, any other state reopens it",
    description: `Subscribers are notified. ${limits}`,
    params,
    body: announcementUpdateInput,
    status: 201,
    answer: announcementAnswer,
    message: "Update posted",
    handle: async ({ services, params: { id }, body, ask }) => ({
      announcement: await services.statusPage.addAnnouncementUpdate({ ...body, id }, ask),
    }),
  }),
];
