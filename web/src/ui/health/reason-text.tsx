import { explain } from "@sonde/proto/http/reasons/reasons";
import { useTranslation } from "react-i18next";

export default function ReasonText({ text }: { text: string }) {
  const { i18n } = useTranslation();
  return explain(text, i18n.language === "zh-CN" ? "zh-CN" : "en-US");
}
