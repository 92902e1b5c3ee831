import { explainAnswer, isOwnAnswer } from "@sonde/proto/http/notifications/delivery-answers";
import { useTranslation } from "react-i18next";

/** What a provider answered, in its own words; what Sonde itself noted is worded in the reader's language, without quotation marks. */
export function ProviderAnswer({ text }: { text: string }) {
  const { i18n } = useTranslation();
  return isOwnAnswer(text) ? (
    <span className="break-words">{explainAnswer(text, i18n.language === "zh-CN" ? "zh-CN" : "en-US")}</span>
  ) : (
    <q className="break-words">{text}</q>
  );
}
