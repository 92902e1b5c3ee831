import type { PublicStatus } from "@sonde/proto/http/status/status";
import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { PageSnapshot } from "@sonde/proto/http/status/snapshot";
import { type PageWords, words } from "./words/words.ts";

/** The input of a document of the public page. */
export type PageInput = {
  status: PublicStatus;
  page: PageSnapshot["page"];
  language: PageLanguage;
  /** What absolute links begin with, without a slash at its end; null: links are relative. */
  publicUrl: string | null;
  nowMs: number;
  /** Shown within the editor: no script, no forms, no external links. */
  isPreview?: boolean;
};

/** The same with its words, for the parts of a document. */
export type PageView = PageInput & { say: PageWords };

export const viewOf = (input: PageInput): PageView => ({ ...input, say: words[input.language] });

/** The address of another document of the page, in the same language. */
export const addressOf = (view: PageInput, path: string): string => `${path}?lang=${view.language}`;
