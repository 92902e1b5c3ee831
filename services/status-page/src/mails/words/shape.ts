import type { Impact, UpdateState } from "@sonde/proto/http/status/status";

/** The texts of mails to subscribers in one language. Parameters are plain text; they are escaped afterwards. */
export type MailWords = {
  states: Readonly<Record<UpdateState, string>>;
  impacts: Readonly<Record<Impact, string>>;
  /** Before names, as in "Affected: Shop, Payments". */
  affected: string;
  impact: string;
  time: string;
  /** From one instant to another, both with their time zone. */
  span(from: string, to: string): string;
  planned: string;
  begun: string;
  recurring: string;
  seePage: string;
  confirmSubject: string;
  /** `title`: the page's. */
  confirmAsked(title: string): string;
  confirmAll: string;
  confirmSome: string;
  confirmLink: string;
  confirmIgnore: string;
  why(title: string): string;
  unsubscribe: string;
  colon: string;
  comma: string;
};
