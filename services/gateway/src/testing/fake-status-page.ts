import { applyNew } from "./fake-apply.ts";
import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import type { Announcement } from "@sonde/proto/http/status/announcements";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import type { PageLink, StatusPage } from "@sonde/proto/http/status/pages";
import { pagePath } from "@sonde/proto/http/status/snapshot";
import type { TargetSilence } from "@sonde/proto/http/status/silences";
import type { Subscriber } from "@sonde/proto/http/status/subscribers";
import type { statusContract } from "@sonde/proto/rpc/status";
import { gzipSync } from "node:zlib";

const at = "2026-01-31T12:00:00.000Z";
const known = (id: number, missing: Message) => {
  if (id !== 7) throw new AppError("not_found", missing);
};

const usedTickets = new Set<string>();

export const fakeMaintenance = (id: number): Maintenance => {
  known(id, "Maintenance does not exist");
  const [start, end] = ["2026-01-31T13:00:00.000Z", "2026-01-31T14:00:00.000Z"];
  return {
    id,
    name: "Database upgrade",
    monitors: [7],
    agents: [],
    tags: [],
    start,
    end,
    timeZone: "Europe/Berlin",
    rrule: "FREQ=WEEKLY;BYDAY=SU",
    public: true,
    status: "scheduled",
    next: { start, end },
    upcoming: [{ start, end }],
    createdAt: at,
    updatedAt: at,
  };
};

export const fakeAnnouncement = (id: number): Announcement => {
  known(id, "Announcement does not exist");
  return {
    id,
    title: "Payments are slow",
    impact: "minor",
    monitors: [7],
    agents: [],
    incidentId: "m5",
    state: "investigating",
    createdAt: at,
    updatedAt: at,
    updates: [{ id: 1, state: "investigating", text: "We are **looking** at it.", at }],
  };
};

const fakeSilence: TargetSilence = {
  id: 7,
  target: { type: "monitor", id: 7, name: "monitor 7" },
  until: "2026-01-31T13:00:00.000Z",
  createdBy: "ugo",
  createdAt: at,
};

const fakeSubscriber: Subscriber = {
  id: 7,
  email: "reader@example.com",
  status: "confirmed",
  services: ["monitor:7"],
  pages: ["default"],
  language: "en-US",
  createdAt: at,
  confirmedAt: at,
};

const fakePage = (slug: string): StatusPage => {
  if (slug !== "acme" && slug !== "default") throw new AppError("not_found", "Page does not exist");
  return {
    ...defaultStatusConfig,
    slug,
    hosts: slug === "acme" ? ["status.acme.example"] : [],
    access: {
      mode: slug === "acme" ? "password" : "public",
      domains: [],
      addresses: [],
      allowFrom: [],
      hasPassword: slug === "acme",
    },
    links: slug === "acme" ? [fakePageLink] : [],
    url: pagePath(slug),
    updatedAt: at,
  };
};
export const fakeImage = { id: "aImage_-with22characte", type: "image/svg+xml" } as const;
const fakePageLink: PageLink = { id: 7, name: "auditor", createdAt: at };
/** The password of the page `acme`. */
export const pagePassword = "open sesame";
export const mailedToken = "a-token-that-was-mailed";

/** A page with one working service. */
export const statusPageHandlers: Handlers<typeof statusContract> = {
  getConfig: async () => ({ config: defaultStatusConfig }),
  updateConfig: async (change) => ({ config: { ...defaultStatusConfig, ...change } }),
  applyPage: (part) => applyNew(part),
  countOwned: async () => ({ owned: [], released: [] }),
  release: async () => ({ released: 0 }),
  previewPage: async () => ({ html: gzipSync("<!doctype html><title>Preview</title>").toString("base64") }),
  storeImage: async () => ({ image: fakeImage }),
  getImage: async ({ id }) => {
    if (id !== fakeImage.id) throw new AppError("not_found", "Image does not exist");
    return { type: fakeImage.type, data: Buffer.from("an image").toString("base64") };
  },
  listPages: async () => ({
    pages: ["default", "acme"].map((slug) => {
      const { title, access, hosts, url } = fakePage(slug);
      return { slug, title, mode: access.mode, hosts, url };
    }),
  }),
  getPage: async ({ slug }) => ({ page: fakePage(slug) }),
  createPage: async ({ title }) => ({ page: { ...fakePage("acme"), title } }),
  updatePage: async ({ slug, title }) => ({ page: { ...fakePage(slug), ...(title === undefined ? {} : { title }) } }),
  deletePage: async ({ slug }) => (fakePage(slug), {}),
  createPageLink: async ({ slug }) => ({ link: fakePageLink, url: `${fakePage(slug).url}/open?token=t` }),
  deletePageLink: async ({ slug, id }) => (fakePage(slug), known(id, "Link does not exist"), {}),
  unlockPage: async ({ slug, password, email }) => {
    if (email !== undefined) return {};
    if (slug === "acme" && password === pagePassword) return { until: Date.now() + 86_400_000, source: "p" };
    throw new AppError("unauthenticated", "Incorrect page password");
  },
  takePageTicket: async ({ id }) => {
    if (usedTickets.has(id)) throw new AppError("invalid", "This link is invalid or has expired");
    usedTickets.add(id);
    return {};
  },
  openPageLink: async ({ slug, token }) => {
    if (slug === "acme" && token === mailedToken) return { until: Date.now() + 86_400_000, source: "e" };
    throw new AppError("invalid", "This link is invalid or has expired");
  },
  listMaintenance: async ({ ids }) => ({
    maintenance: ids.length === 0 || ids.includes(7) ? [fakeMaintenance(7)] : [],
    total: 1,
  }),
  listOccurrences: async ({ from, until }) => ({
    occurrences: [{ id: 7, name: "Database upgrade", start: from, end: until }],
    more: false,
  }),
  createMaintenance: async () => fakeMaintenance(7),
  updateMaintenance: async ({ id }) => fakeMaintenance(id),
  endMaintenance: async ({ id }) => fakeMaintenance(id),
  deleteMaintenance: async ({ id }) => (known(id, "Maintenance does not exist"), {}),
  listSilences: async () => ({ silences: [fakeSilence] }),
  createSilence: async () => fakeSilence,
  updateSilence: async ({ id, until = fakeSilence.until }) => (
    known(id, "Silence does not exist"),
    { ...fakeSilence, until }
  ),
  endSilence: async ({ id }) => (known(id, "Silence does not exist"), {}),
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
  composeMail: async () => ({}),
};
