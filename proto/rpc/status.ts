import * as z from "zod";
import { id } from "../http/envelope.ts";
import {
  announcement,
  announcementInput,
  announcementPatch,
  announcementsQuery,
  announcementUpdateInput,
} from "../http/status/announcements.ts";
import { statusConfig, statusConfigInput, statusPreviewInput } from "../http/status/config.ts";
import { pageLanguages } from "../http/status/documents.ts";
import { maintenance, maintenanceInput, maintenancePatch, maintenanceQuery } from "../http/status/maintenance.ts";
import {
  listedPage,
  newPageLink,
  pageChange,
  pageInput,
  pageLinkInput,
  statusPage,
  unlockInput,
} from "../http/status/pages.ts";
import { silence, silenceInput } from "../http/status/silences.ts";
import { defaultSlug } from "../http/status/snapshot.ts";
import { subscribeInput, subscriber, subscribersQuery, subscriptionTokenInput } from "../http/status/subscribers.ts";
import { managedBy } from "../http/config/managed.ts";
import { appliedPart, applyPart, ownedCounts, releasePart } from "./apply.ts";
import { contract, nothing } from "./contract.ts";
import { mailContent } from "./notifications.ts";

const byId = z.object({ id });
const language = z.enum(pageLanguages);
const configAnswer = z.object({ config: statusConfig, managed: managedBy.optional() });
/** These alone, in this order, where any are named. */
const ids = z.array(id).default([]);
/** The rest of the page, which did not fit into one message. */
const restIds = z.array(id).default([]);

const slug = { slug: z.string().max(100) };
const bySlug = z.object(slug);
const pageOf = z.object({ page: statusPage });
/** Until when a cookie may open a page (epoch milliseconds), and its source: `p` by the password, `e` by a mail. */
const unlocked = z.object({ until: z.number(), source: z.enum(["p", "e"]) });

/** The public pages: their configuration, access, maintenance windows, announcements, subscribers. */
export const statusContract = contract("status", {
  getConfig: { input: nothing, answer: configAnswer },
  // What is absent stays as it is. invalid (with paths); impossible: a monitor or agent that does not exist
  updateConfig: { input: statusConfigInput, answer: configAnswer },
  // Maintenance and the page of a document, in one transaction.
  applyPage: { input: applyPart, answer: appliedPart },
  countOwned: { input: nothing, answer: ownedCounts },
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
  // The page that a change of the configuration would make, saved nowhere; gzip in base64. invalid, impossible
  previewPage: {
    input: statusPreviewInput.extend({ language }),
    answer: z.object({ html: z.string() }),
  },

  // The default page first; it is always there.
  listPages: { input: nothing, answer: z.object({ pages: z.array(listedPage) }) },
  // not_found
  getPage: { input: bySlug, answer: pageOf },
  // invalid; conflict: slug or host taken; impossible: a reserved slug, Sonde's own host, too many, who could read it
  createPage: { input: pageInput, answer: pageOf },
  // not_found, and as `createPage`; what is absent stays as it is
  updatePage: { input: pageChange.extend(slug), answer: pageOf },
  // not_found; impossible: the default page
  deletePage: { input: bySlug, answer: nothing },
  // `url`: this once. not_found; invalid: it has expired; impossible: too many
  createPageLink: { input: pageLinkInput.extend(slug), answer: newPageLink },
  // not_found
  deletePageLink: { input: z.object({ ...slug, id }), answer: nothing },
  // Of a password `until` when it opens the page; of an address nothing, and alike for all: its link is mailed.
  // unauthenticated: another password, mode or page, alike; too_many
  unlockPage: {
    input: unlockInput.extend({ ...slug, address: z.string(), language }),
    answer: unlocked.partial(),
  },
  // Redeems a mailed link, once. invalid: no such token, or too old
  openPageLink: { input: z.object({ ...slug, token: z.string().max(200) }), answer: unlocked },
  // Marks a member's ticket as used, for all gateways. invalid: it was used before
  takePageTicket: { input: z.object({ id: z.string().max(50), expiresAtMs: z.number() }), answer: nothing },

  // Those that run first, then those ahead by their next start, then the past by their end, newest first.
  listMaintenance: {
    input: z.object({ ...maintenanceQuery.shape, ids }),
    answer: z.object({ maintenance: z.array(maintenance), total: z.int(), restIds }),
  },
  // invalid, impossible
  createMaintenance: { input: maintenanceInput, answer: maintenance },
  // What has passed stays as it was. not_found, invalid, impossible
  updateMaintenance: { input: maintenancePatch.extend({ id }), answer: maintenance },
  // Ends the occurrence that runs, not those that follow. not_found; impossible: none runs
  endMaintenance: { input: byId, answer: maintenance },
  // Ends it now, where it runs; what has passed stays outside uptime. not_found
  deleteMaintenance: { input: byId, answer: nothing },

  // Those that run, the first to end first.
  listSilences: { input: nothing, answer: z.object({ silences: z.array(silence) }) },
  // invalid; impossible: nothing to silence, or too much
  createSilence: { input: silenceInput, answer: silence },
  // Ends it now. not_found: none that runs
  endSilence: { input: byId, answer: nothing },

  // Open ones first, then the newest.
  listAnnouncements: {
    input: z.object({ ...announcementsQuery.shape, ids }),
    answer: z.object({ announcements: z.array(announcement), total: z.int(), restIds }),
  },
  // not_found
  getAnnouncement: { input: byId, answer: announcement },
  // invalid; impossible: a target or an incident that does not exist, or too many announcements
  createAnnouncement: { input: announcementInput, answer: announcement },
  // not_found, invalid, impossible
  updateAnnouncement: { input: announcementPatch.extend({ id }), answer: announcement },
  // not_found
  deleteAnnouncement: { input: byId, answer: nothing },
  // not_found, invalid; impossible: too many updates, or too much text in them
  addAnnouncementUpdate: { input: announcementUpdateInput.extend({ id }), answer: announcement },

  // For those who manage the page.
  listSubscribers: {
    input: subscribersQuery,
    answer: z.object({ subscribers: z.array(subscriber), total: z.int() }),
  },
  deleteSubscriber: { input: byId, answer: nothing },
  // Answers alike whether the address is known or not; `language`: of its mails. invalid; impossible: switched off
  subscribe: { input: subscribeInput.extend({ language, slug: slug.slug.default(defaultSlug) }), answer: nothing },
  // invalid: no such token, or too old
  confirmSubscription: { input: subscriptionTokenInput, answer: nothing },
  unsubscribe: { input: subscriptionTokenInput, answer: nothing },
  // Composes a mail that the notifier is about to send; none if it was withdrawn.
  composeMail: { input: z.object({ key: z.uuid() }), answer: z.object({ mail: mailContent.optional() }) },
});
