import type { Impact, UpdateState } from "@sonde/proto/http/status/status";

/** The content of a mailing as it was when the mailing was made. Instants are epoch milliseconds. */
export type UpdateFacts = {
  kind: "update";
  announcementId: number;
  title: string;
  impact: Impact;
  state: UpdateState;
  /** Markdown. */
  text: string;
  /** `monitor:12`, whether the page shows it or not. */
  targets: string[];
  atMs: number;
};
export type MaintenanceFacts = {
  kind: "maintenance_planned" | "maintenance_begun";
  windowId: number;
  name: string;
  /** Markdown; empty: none. */
  text: string;
  targets: string[];
  fromMs: number;
  toMs: number;
  /** IANA. */
  timeZone: string;
  isRecurring: boolean;
};
/** `targets`: the requested ones; none: all that the page shows. */
type ConfirmationFacts = { kind: "confirmation"; subscriberId: number; targets: string[] };
export type MailFacts = UpdateFacts | MaintenanceFacts | ConfirmationFacts;

/** Added once, before the first mail is made, so that each attempt at a mail has the same text. */
export type MailPreparation = {
  pageTitle: string;
  /** The targets that the page shows: they decide who is notified. */
  shown: string[];
  /** Their names on the page. */
  names: string[];
  /** The text without markup, and as safe HTML. */
  plain: string;
  html: string;
};
export type PreparedFacts = MailFacts & MailPreparation;
