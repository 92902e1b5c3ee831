import {
  announcementAnswer,
  announcementInput,
  announcementPatch,
  announcementsAnswer,
  announcementsQuery,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import { messageAnswer } from "@sonde/proto/http/auth";
import { inBatches } from "../middleware/batches.ts";
import { route } from "../route.ts";

const params = { id: "Announcement does not exist" } as const;
const limits =
  "At most 100 announcements are made a day and 100 are open, each with at most 200 updates of 400,000 bytes together.";

export const announcementRoutes = [
  route({
    method: "GET",
    path: "/api/announcements",
    who: "session",
    summary: "List announcements, open ones first, then the newest",
    query: announcementsQuery,
    answer: announcementsAnswer,
    handle: async (input) => {
      const { services, query, ask } = input;
      const first = await services.statusPage.listAnnouncements(query, ask);
      const list = (wanted: { ids: number[]; pageSize: number }) => services.statusPage.listAnnouncements(wanted, ask);
      return { announcements: inBatches(input, first, list, (page) => page.announcements), total: first.total };
    },
  }),
  route({
    method: "POST",
    path: "/api/announcements",
    who: "write",
    idempotent: true,
    summary: "Announce an incident on the public page; subscribers are told of its first update",
    description: limits,
    body: announcementInput,
    status: 201,
    answer: announcementAnswer,
    handle: async ({ services, body, ask }) => ({
      message: "Announcement created",
      announcement: await services.statusPage.createAnnouncement(body, ask),
    }),
  }),
  route({
    method: "GET",
    path: "/api/announcements/:id",
    who: "session",
    summary: "An announcement with its updates",
    params,
    answer: announcementAnswer,
    handle: async ({ services, params: { id }, ask }) => ({
      announcement: await services.statusPage.getAnnouncement({ id }, ask),
    }),
  }),
  route({
    method: "PUT",
    path: "/api/announcements/:id",
    who: "write",
    summary: "Change an announcement, by a whole input or a part of one; its post-mortem, too",
    params,
    body: announcementPatch,
    answer: announcementAnswer,
    handle: async ({ services, params: { id }, body, ask }) => ({
      message: "Announcement updated",
      announcement: await services.statusPage.updateAnnouncement({ ...body, id }, ask),
    }),
  }),
  route({
    method: "DELETE",
    path: "/api/announcements/:id",
    who: "write",
    summary: "Delete an announcement with its updates",
    params,
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.statusPage.deleteAnnouncement({ id }, ask);
      return { message: "Announcement successfully deleted" };
    },
  }),
  route({
    method: "POST",
    path: "/api/announcements/:id/updates",
    who: "write",
    summary: "Post an update, which becomes the announcement's state: resolved ends it, another opens it again",
    description: `Subscribers are told. ${limits}`,
    params,
    body: announcementUpdateInput,
    status: 201,
    answer: announcementAnswer,
    handle: async ({ services, params: { id }, body, ask }) => ({
      message: "Update posted",
      announcement: await services.statusPage.addAnnouncementUpdate({ ...body, id }, ask),
    }),
  }),
];
