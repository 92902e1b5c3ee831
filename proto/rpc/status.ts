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
import { imageId, imageInput, imageTypes, storedImage } from "../http/status/images.ts";
import {
  maintenance,
  maintenanceInput,
  maintenancePatch,
  maintenanceQuery,
  occurrencesAnswer,
  occurrencesQuery,
} from "../http/status/maintenance.ts";
import {
  listedPage,
  newPageLink,
  pageChange,
  pageInput,
  pageLinkInput,
  statusPage,
  unlockInput,
} from "../http/status/pages.ts";
import { silence, silenceInput, silencePatch } from "../http/status/silences.ts";
import { defaultSlug } from "../http/status/snapshot.ts";
import { subscribeInput, subscriber, subscribersQuery, subscriptionTokenInput } from "../http/status/subscribers.ts";
import { managedBy } from "../http/config/managed.ts";
import { appliedPart, applyPart, ownedCounts, releasePart } from "./apply.ts";
import { contract, nothing } from "./contract.ts";
import { mailContent } from "./notifications.ts";

const byId = z.object({ id });
const language = z.enum(["zh-CN", "en-US"]);
const configAnswer = z.object({ config: statusConfig, managed: managedBy.optional() });
/** If not empty, only these, in this order. */
const ids = z.array(id).default([]);
/** The rest of the page that did not fit into one message. */
const restIds = z.array(id).default([]);

const slug = { slug: z.string().max(100) };
const bySlug = z.object(slug);
const pageOf = z.object({ page: statusPage });
/** Expiry of a page cookie (epoch milliseconds), and its source: `p` for password, `e` for email. */
const unlocked = z.object({ until: z.number(), source: z.enum(["p", "e"]) });

/** Public pages: configuration, access, maintenance windows, announcements and subscribers. */
export const statusContract = contract("status", {
  getConfig: { input: nothing, answer: configAnswer },
  // Absent fields stay unchanged. invalid (with paths); impossible: a monitor or agent that does not exist
  updateConfig: { input: statusConfigInput, answer: configAnswer },
  // Applies a document's maintenance windows and page in one transaction.
  applyPage: { input: applyPart, answer: appliedPart },
  countOwned: { input: nothing, answer: ownedCounts },
  release: { input: releasePart, answer: z.object({ released: z.int() }) },
  // Renders the page with a changed configuration, without saving; gzip in base64. invalid, impossible
  previewPage: {
    input: statusPreviewInput.extend({ language }),
    answer: z.object({ html: z.string() }),
  },

  // Kept until a page uses it, or for a day. invalid; impossible: too many
  storeImage: { input: imageInput, answer: z.object({ image: storedImage }) },
  // `data` in base64. not_found
  getImage: {
    input: z.object({ id: imageId }),
    answer: z.object({ type: z.enum(imageTypes), data: z.string() }),
  },

  // The default page, which always exists, comes first.
  listPages: { input: nothing, answer: z.object({ pages: z.array(listedPage) }) },
  // not_found
  getPage: { input: bySlug, answer: pageOf },
  // invalid; conflict: slug or host taken; impossible: reserved slug, Sonde's own host, too many pages, or access for
  // no one
  createPage: { input: pageInput, answer: pageOf },
  // not_found, and as `createPage`; absent fields stay unchanged
  updatePage: { input: pageChange.extend(slug), answer: pageOf },
  // not_found; impossible: the default page
  deletePage: { input: bySlug, answer: nothing },
  // `url` is only returned here. not_found; invalid: it has expired; impossible: too many
  createPageLink: { input: pageLinkInput.extend(slug), answer: newPageLink },
  // not_found
  deletePageLink: { input: z.object({ ...slug, id }), answer: nothing },
  // For a password, `until` when the page stays unlocked. For an email address, an empty response that does not reveal
  // if it may view the page; a link is mailed. unauthenticated: wrong password, mode or page; too_many
  unlockPage: {
    input: unlockInput.extend({ ...slug, address: z.string(), language }),
    answer: unlocked.partial(),
  },
  // Redeems a mailed link, once. invalid: unknown or expired token
  openPageLink: { input: z.object({ ...slug, token: z.string().max(200) }), answer: unlocked },
  // Marks a member's ticket as used on all gateways. invalid: already used
  takePageTicket: { input: z.object({ id: z.string().max(50), expiresAtMs: z.number() }), answer: nothing },

  // Running windows first, then upcoming ones by next start, then past ones by end, newest first.
  listMaintenance: {
    input: z.object({ ...maintenanceQuery.shape, ids }),
    answer: z.object({ maintenance: z.array(maintenance), total: z.int(), restIds }),
  },
  // Occurrences that overlap the period, by start.
  listOccurrences: { input: occurrencesQuery, answer: occurrencesAnswer.pick({ occurrences: true, more: true }) },
  // invalid, impossible
  createMaintenance: { input: maintenanceInput, answer: maintenance },
  // Past occurrences stay unchanged. not_found, invalid, impossible
  updateMaintenance: { input: maintenancePatch.extend({ id }), answer: maintenance },
  // Ends only the running occurrence. not_found; impossible: none is running
  endMaintenance: { input: byId, answer: maintenance },
  // Ends a running window; past occurrences stay out of uptime. not_found
  deleteMaintenance: { input: byId, answer: nothing },

  // Active silences, the first to end first.
  listSilences: { input: nothing, answer: z.object({ silences: z.array(silence) }) },
  // invalid; impossible: nothing to silence, or too much
  createSilence: { input: silenceInput, answer: silence },
  // Moves its end, counted from now. not_found: no such active silence; invalid
  updateSilence: { input: silencePatch.safeExtend({ id }), answer: silence },
  // not_found: no such active silence
  endSilence: { input: byId, answer: nothing },

  // Open ones first, then newest first.
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

  // For users who manage the page.
  listSubscribers: {
    input: subscribersQuery,
    answer: z.object({ subscribers: z.array(subscriber), total: z.int() }),
  },
  deleteSubscriber: { input: byId, answer: nothing },
  // Does not reveal if the address is known. `language`: of its emails. invalid; impossible: subscriptions are off
  subscribe: { input: subscribeInput.extend({ language, slug: slug.slug.default(defaultSlug) }), answer: nothing },
  // invalid: unknown or expired token
  confirmSubscription: { input: subscriptionTokenInput, answer: nothing },
  unsubscribe: { input: subscriptionTokenInput, answer: nothing },
  // Composes a mail just before the notifier sends it; empty if it was withdrawn.
  composeMail: { input: z.object({ key: z.uuid() }), answer: z.object({ mail: mailContent.optional() }) },
});
