import type { Language } from "@sonde/proto/http/messages";
import { plainLine } from "@sonde/proto/http/text";
import { escapeHtml } from "../channels/text.ts";
import { type CallWords, wordsOf } from "./words.ts";

/** Twilio's names of a voice and its language (twilio.com/docs/voice/twiml/say/text-speech). */
const voices: Readonly<Record<Language, string>> = {
  "en-US": 'voice="Polly.Joanna" language="en-US"',
  "zh-CN": 'voice="Polly.Zhiyu" language="cmn-CN"',
};

const document = (verbs: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${verbs}</Response>\n`;

/** XML 1.0 permits no control characters, and not these two. */
const speech = (text: string, language: Language) =>
  `<Say ${voices[language]}>${escapeHtml(plainLine(text).replaceAll(/[\ufffe\uffff]/g, ""))}</Say>`;

/** TwiML that says a sentence and hangs up. */
export const sentence = (
  name: Exclude<keyof CallWords, "severity" | "since" | "end" | "note">,
  language: Language,
): string => document(speech(wordsOf(language)[name], language) + "<Hangup/>");

/** TwiML that reads a text and waits for one key, which Twilio sends to `action`, also if none was pressed. */
export const question = (text: string, action: string, language: Language): string =>
  document(
    `<Gather numDigits="1" timeout="8" actionOnEmptyResult="true" method="POST" action="${escapeHtml(action)}">${speech(text, language)}</Gather>`,
  );

export const nothing = document("");
