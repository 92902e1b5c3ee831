import type { PublicIncident, PublicStatus } from "@sonde/proto/http/status";
import type { PageSnapshot } from "@sonde/proto/http/status-snapshot";

export type Language = "zh-CN" | "en-US";

/** What a document of the public page is made from. */
export type PageInput = {
  status: PublicStatus;
  page: PageSnapshot["page"];
  language: Language;
  /** What absolute links begin with, without a slash at its end; null: links are relative. */
  publicUrl: string | null;
  /** URL paths of the built script and style sheet; null where they are not built. */
  assets: { script: string | null; style: string | null };
  nowMs: number;
  /** Shown within the editor: no script, no forms, no links away. */
  isPreview?: boolean;
};

/** The page itself. */
export const renderStatus = (input: PageInput): string => input.status.title;
/** One incident or announcement, with its updates. */
export const renderIncident = (_input: PageInput, incident: PublicIncident): string => incident.id;
/** Incidents of 90 days, by month. */
export const renderHistory = (input: PageInput): string => input.status.title;
/** One line for other sites' footers. */
export const renderEmbed = (input: PageInput): string => input.status.title;
/** A short text in the page's clothes: nothing here, thank you. */
export const renderNotice = (_input: PageInput, notice: { title: string; text: string }): string => notice.title;
/** What a link in a mail opens: a form with one button, so that a scanner of mail changes nothing. */
export const renderConfirm = (_input: PageInput, token: string): string => token;
export const renderUnsubscribe = (_input: PageInput, token: string): string => token;
