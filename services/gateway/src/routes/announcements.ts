import {
  announcementAnswer,
  announcementInput,
  announcementPatch,
  announcementsAnswer,
  announcementsQuery,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import { messageAnswer } from "@sonde/proto/http/auth";
import type { z } from "zod";
import { inBatches } from "../batches.ts";
import { presentAnnouncement, targetRefsOf } from "../presenters/announcement.ts";
import { type HandlerBase, route } from "../route.ts";

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
    handle: async ({ services, takeBatches, query: { open, ...query }, session, ctx, ask }) => {
      const isOpen = open === undefined ? undefined : open === "true";
      const first = await services.statusPage.listAnnouncements({ ...query, open: isOpen }, ask);
      const present = ({ announcements }: typeof first) => announcements.map(presentAnnouncement);
      if (first.restIds.length === 0) return { announcements: present(first), total: first.total };
      takeBatches(session.userId, ctx.res);
      const rest = (ids: number[]) => services.statusPage.listAnnouncements({ ids, pageSize: ids.length }, ask);
      return { announcements: inBatches(first, rest, present), total: first.total };
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
    handle: async ({ services, body, ask }) => {
      const { monitors, agents, incidentId, ...fields } = body;
      const targets = targetRefsOf({ monitors, agents });
      const request = { ...fields, targets, incidentId: incidentId ?? undefined };
      const announcement = await services.statusPage.createAnnouncement(request, ask);
      return { message: "Announcement created", announcement: presentAnnouncement(announcement) };
    },
  }),
  route({
    method: "GET",
    path: "/api/announcements/:id",
    who: "session",
    summary: "An announcement with its updates",
    params,
    answer: announcementAnswer,
    handle: async ({ services, params: { id }, ask }) => ({
      announcement: presentAnnouncement(await services.statusPage.getAnnouncement({ id }, ask)),
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
    handle: async ({ services, params: { id }, body, ask }) => {
      const announcement = await services.statusPage.updateAnnouncement(
        await changeOf({ services, ask }, id, body),
        ask,
      );
      return { message: "Announcement updated", announcement: presentAnnouncement(announcement) };
    },
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
    handle: async ({ services, params: { id }, body, ask }) => {
      const announcement = await services.statusPage.addAnnouncementUpdate({ id, ...body }, ask);
      return { message: "Update posted", announcement: presentAnnouncement(announcement) };
    },
  }),
];

/**
 * On the bus an empty text clears a field, and targets are one list: those that the input leaves out are read first.
 */
async function changeOf(
  { services, ask }: Pick<HandlerBase, "services" | "ask">,
  id: number,
  body: z.output<typeof announcementPatch>,
) {
  const { monitors, agents, incidentId, postMortem, ...fields } = body;
  const request = { id, ...fields, incidentId: orEmpty(incidentId), postMortem: orEmpty(postMortem) };
  if (monitors === undefined && agents === undefined) return request;
  const before =
    monitors !== undefined && agents !== undefined
      ? { monitors, agents }
      : presentAnnouncement(await services.statusPage.getAnnouncement({ id }, ask));
  return {
    ...request,
    targets: targetRefsOf({ monitors: monitors ?? before.monitors, agents: agents ?? before.agents }),
  };
}

const orEmpty = (text: string | null | undefined) => (text === null ? "" : text);
