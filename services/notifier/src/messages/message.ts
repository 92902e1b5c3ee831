import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/incident.ts";

/** `bad`: a problem; `good`: a recovery; `info`: a test. */
export type Tone = "bad" | "good" | "info";

export type MessageLine = { tone: Tone; title: string; text: string; url?: string };

/** An unformatted message with plain texts. Channels escape them and cut them to the provider's limits. */
export type ChannelMessage = {
  key: string;
  language: Language;
  tone: Tone;
  title: string;
  /** Lines, one per paragraph. For several alerts only what they share. */
  text: string;
  /** Labels and values, in order. Empty if a user's template wrote the text. */
  fields: readonly { label: string; value: string }[];
  /** Entries of a message with several alerts, worst first; else empty. */
  entries: readonly MessageLine[];
  /** Links in order of importance: show the incident, acknowledge it. */
  links: readonly { label: string; url: string }[];
  /** Acknowledges its open incidents; absent if they are over. */
  acknowledgeUrl?: string;
  /** Signed text for buttons that acknowledge its only incident; absent if their taps cannot be received. */
  tap?: string | undefined;
  /** All open incidents, for the badge of an app. */
  openIncidents?: number;
  /** Sonde's name and the time. Part of every message, because some bots require a fixed word. */
  footer: string;
  /** All alerts of the message; always one for machines. */
  alerts: readonly AlertFacts[];
  /** What its openings share with others. */
  sharedCause?: SharedCause | undefined;
  /** When its newest alert was decided. */
  atMs: number;
  isTest: boolean;
};
