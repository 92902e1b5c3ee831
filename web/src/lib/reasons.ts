import type { Language } from "@sonde/proto/http/messages";
import { createShared, useShared } from "./hooks.ts";

type Explain = (text: string, language: Language) => string;

const explainer = createShared<Explain | null>(null);

/**
 * Loads the sentences that say why something failed. They and their translations are a thirtieth of the first page's
 * budget: screens that are not the first wait for them together with their words, others show a reason in the server's
 * words until they are here.
 */
export async function loadReasons(): Promise<void> {
  const { explain } = await import("@sonde/proto/http/reasons/reasons");
  explainer.set(explain);
}

/** What puts a reason into the reader's language; null until it is loaded. */
export const useExplainer = () => useShared(explainer);
