import type { Language } from "@sonde/proto/http/messages";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { loadReasons, useExplainer } from "../../lib/reasons.ts";

/** Why a check failed, in the reader's language; never empty: in the server's words until the sentences are loaded. */
export function Reason({ text }: { text: string | undefined }) {
  const { i18n } = useTranslation();
  const explain = useExplainer();
  const isWanted = text !== undefined && explain === null;
  useEffect(() => {
    // Where they cannot be loaded, the server's words stay.
    if (isWanted) loadReasons().catch(() => undefined);
  }, [isWanted]);
  if (text === undefined) return null;
  return explain === null ? text : explain(text, i18n.language as Language);
}
