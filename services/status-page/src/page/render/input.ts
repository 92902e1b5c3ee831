import type { PublicStatus } from "@sonde/proto/http/status";
import type { PageLanguage } from "@sonde/proto/http/status-documents";
import type { PageSnapshot } from "@sonde/proto/http/status-snapshot";
import { type Words, words } from "./words/words.ts";

export type Language = PageLanguage;

/** What a document of the public page is made from. */
export type PageInput = {
  status: PublicStatus;
  page: PageSnapshot["page"];
  language: Language;
  /** What absolute links begin with, without a slash at its end; null: links are relative. */
  publicUrl: string | null;
  nowMs: number;
  /** Shown within the editor: no script, no forms, no links away. */
  isPreview?: boolean;
};

/** The same with its words at hand: what the parts of a document are given. */
export type View = PageInput & { say: Words };

export const viewOf = (input: PageInput): View => ({ ...input, say: words[input.language] });

/** The address of another document of the page, in the same language. */
export const addressOf = (view: PageInput, path: string): string => `${path}?lang=${view.language}`;
