import type { Language } from "@sonde/proto/http/messages";
import { createShared, useShared } from "./hooks.ts";

type Explain = (text: string, language: Language) => string;

const explainer = createShared<Explain | null>(null);

/**
 * Loads the explanations of failures in both languages. They are not part of the first load, since they would use a
 * thirtieth of its size budget. Until then, the server's text is shown.
 */
export async function loadReasons(): Promise<void> {
  const { explain } = await import("@sonde/proto/http/reasons/reasons");
  explainer.set(explain);
}

/** `null` until the translations are loaded. */
export const useExplainer = () => useShared(explainer);
