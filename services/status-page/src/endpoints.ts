import type { Handlers } from "@sonde/kit/bus/rpc";
import { countOwned, releaseOwned } from "@sonde/domain/managed/table";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { statusContract } from "@sonde/proto/rpc/status";
import {
  addUpdate,
  createAnnouncement,
  getAnnouncement,
  removeAnnouncement,
  updateAnnouncement,
} from "./announcements/announcements.ts";
import { listAnnouncements } from "./announcements/store.ts";
import { applyPage } from "./apply/apply.ts";
import { type Context, within } from "./context.ts";
import { listMaintenance } from "./maintenance/list.ts";
import { listOccurrences } from "./maintenance/upcoming.ts";
import { createMaintenance, deleteMaintenance, endMaintenance, updateMaintenance } from "./maintenance/maintenance.ts";
import { createSilence, endSilence, listSilences, updateSilence } from "./maintenance/silences.ts";
import { composeQueued } from "./mails/queued.ts";
import type { RenderPreview } from "./preview.ts";
import { getConfig, getPageOwner } from "./pages/settings.ts";
import { getImage, storeImage } from "./pages/images.ts";
import { createLink, deleteLink } from "./pages/links.ts";
import { createPage, deletePage, getPage, listPages, updateConfig, updatePage } from "./pages/pages.ts";
import { openPageLink, takePageTicket, unlockPage } from "./pages/unlock.ts";
import {
  confirmSubscription,
  deleteSubscriber,
  listSubscribers,
  subscribe,
  unsubscribe,
} from "./subscribers/subscribers.ts";

type Parts = {
  preview: RenderPreview;
  /** Resolves when gateways have the page's access rules, or if that takes too long. */
  published(slug: string): Promise<void>;
};

export function endpoints(ctx: Context, { preview, published }: Parts): Handlers<typeof statusContract> {
  const idempotent = createIdempotency(ctx);
  const done = async (verb: () => Promise<void>) => {
    await orUnavailable(verb);
    return {};
  };
  const thenPublished = async <Answer>({ slug }: { slug: string }, change: Promise<Answer>): Promise<Answer> => {
    const answer = await change;
    await published(slug);
    return answer;
  };
  return {
    getConfig: async () => ({ config: await getConfig(ctx), managed: await getPageOwner(ctx) }),
    updateConfig: async (change) => ({ config: await updateConfig(ctx, change), managed: await getPageOwner(ctx) }),
    applyPage: (input, { signal }) => applyPage(ctx, input, signal),
    countOwned: () => orUnavailable(() => countOwned(ctx.db)),
    release: async (input) => ({ released: await orUnavailable(() => releaseOwned(ctx.db, "status-page", input)) }),
    previewPage: async ({ language, slug, ...change }) => ({
      html: Buffer.from(await preview(change, { language, slug })).toString("base64"),
    }),

    storeImage: (input) => orUnavailable(() => storeImage(ctx, input)),
    getImage: ({ id }) => orUnavailable(() => getImage(ctx.db, id)),

    listPages: async () => ({ pages: await orUnavailable(() => listPages(ctx)) }),
    getPage: async ({ slug }) => ({ page: await orUnavailable(() => getPage(ctx, slug)) }),
    createPage: (input, call) =>
      thenPublished(
        input,
        idempotent(call, async (db, afterwards) => ({ page: await createPage(within(ctx, db, afterwards), input) })),
      ),
    updatePage: (change) =>
      thenPublished(
        change,
        updatePage(ctx, change).then((page) => ({ page })),
      ),
    deletePage: (page) =>
      thenPublished(
        page,
        done(() => deletePage(ctx, page.slug)),
      ),
    createPageLink: (input) =>
      thenPublished(
        input,
        orUnavailable(() => createLink(ctx, input)),
      ),
    deletePageLink: (input) =>
      thenPublished(
        input,
        done(() => deleteLink(ctx, input)),
      ),
    unlockPage: (input, { signal }) => orUnavailable(() => unlockPage(ctx, input, signal)),
    openPageLink: (input) => orUnavailable(() => openPageLink(ctx, input)),
    takePageTicket: (input) => done(() => takePageTicket(ctx, input)),

    listMaintenance: (query) => listMaintenance(ctx, query),
    listOccurrences: (period) => orUnavailable(() => listOccurrences(ctx, period)),
    createMaintenance: (input, call) =>
      idempotent(call, (db, afterwards) => createMaintenance(within(ctx, db, afterwards), input)),
    updateMaintenance: (change) => updateMaintenance(ctx, change),
    endMaintenance: ({ id }) => endMaintenance(ctx, id),
    deleteMaintenance: ({ id }) => done(() => deleteMaintenance(ctx, id)),

    listSilences: () => orUnavailable(() => listSilences(ctx)),
    createSilence: (input, call) =>
      idempotent(call, (db, afterwards) =>
        createSilence(within(ctx, db, afterwards), input, call.actor?.username ?? ""),
      ),
    updateSilence: ({ id, ...end }) => orUnavailable(() => updateSilence(ctx, id, end)),
    endSilence: ({ id }) => done(() => endSilence(ctx, id)),

    listAnnouncements: (query) => orUnavailable(() => listAnnouncements(ctx, query)),
    getAnnouncement: ({ id }) => orUnavailable(() => getAnnouncement(ctx, id)),
    createAnnouncement: (input, call) =>
      idempotent(call, (db, afterwards) => orUnavailable(() => createAnnouncement(within(ctx, db, afterwards), input))),
    updateAnnouncement: (change) => orUnavailable(() => updateAnnouncement(ctx, change)),
    deleteAnnouncement: ({ id }) => done(() => removeAnnouncement(ctx, id)),
    addAnnouncementUpdate: (input) => orUnavailable(() => addUpdate(ctx, input)),

    listSubscribers: (query) => orUnavailable(() => listSubscribers(ctx, query)),
    deleteSubscriber: ({ id }) => done(() => deleteSubscriber(ctx, id)),
    subscribe: (input) => done(() => subscribe(ctx, input)),
    confirmSubscription: ({ token }) => done(() => confirmSubscription(ctx, token)),
    unsubscribe: ({ token }) => done(() => unsubscribe(ctx, token)),
    composeMail: async ({ key }) => ({ mail: await orUnavailable(() => composeQueued(ctx, key)) }),
  };
}
