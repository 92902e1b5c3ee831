import { explainAnswer, isOwnAnswer } from "@sonde/proto/http/notifications/delivery-answers";
import { useTranslation } from "react-i18next";

/** Quotes a provider's response. Messages of Sonde itself are translated and have no quotation marks. */
export function ProviderAnswer({ text }: { text: string }) {
  const { i18n } = useTranslation();
  return isOwnAnswer(text) ? (
    <span className="break-words">{explainAnswer(text, i18n.language === "zh-CN" ? "zh-CN" : "en-US")}</span>
  ) : (
    <q className="break-words">{text}</q>
  );
}
