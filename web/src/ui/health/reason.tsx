import type { Language } from "@sonde/proto/http/messages";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { loadReasons, useExplainer } from "../../lib/reasons.ts";

/** Why a check failed, in the user's language. Shows the server's text until translations are loaded. Never empty. */
export function Reason({ text }: { text: string | undefined }) {
  const { i18n } = useTranslation();
  const explain = useExplainer();
  const needsExplainer = text !== undefined && explain === null;
  useEffect(() => {
    // If translations fail to load, the server's text stays.
    if (needsExplainer) loadReasons().catch(() => undefined);
  }, [needsExplainer]);
  if (text === undefined) return null;
  return explain === null ? text : explain(text, i18n.language as Language);
}
