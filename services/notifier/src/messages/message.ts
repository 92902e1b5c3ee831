import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/incident.ts";

/** `bad`: something is wrong; `good`: it is over; `info`: neither (a test). */
export type Tone = "bad" | "good" | "info";

export type MessageLine = { tone: Tone; title: string; text: string; url?: string };

/**
 * A message before a channel gives it its own form. All texts are plain: a channel escapes them, and cuts them at the
 * provider's limits.
 */
export type ChannelMessage = {
  /** The same for each attempt: an idempotency key where the provider has one. */
  key: string;
  language: Language;
  tone: Tone;
  title: string;
  /** Lines, one a paragraph; of several alerts empty. */
  text: string;
  /** Names and values, in order; empty if a user's template wrote the text. */
  fields: readonly { label: string; value: string }[];
  /** The alerts of a message of several, worst first; else empty. */
  entries: readonly MessageLine[];
  /** What may be done, the first the most likely: see the incident, acknowledge it. */
  links: readonly { label: string; url: string }[];
  /** Sonde's name and the time. Part of each message: some robots require a fixed word in all messages. */
  footer: string;
  /** The alerts of this message; of machine protocols always one. */
  alerts: readonly AlertFacts[];
  /** When the newest of it was decided. */
  atMs: number;
  isTest: boolean;
};
