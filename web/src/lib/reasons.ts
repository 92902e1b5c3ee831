import type { Language } from "@sonde/proto/http/messages";
import { createShared, useShared } from "./hooks.ts";

type Explain = (text: string, language: Language) => string;

const explainer = createShared<Explain | null>(null);

/**
 * Loads the sentences that explain failures, with their translations. The dashboard and the monitor list do not wait for
 * them: they would be a thirtieth of the first page's budget. Until they are loaded, a reason is in the server's words.
 */
export async function loadReasons(): Promise<void> {
  const { explain } = await import("@sonde/proto/http/reasons/reasons");
  explainer.set(explain);
}

/** What puts a reason into the reader's language; null until it is loaded. */
export const useExplainer = () => useShared(explainer);
