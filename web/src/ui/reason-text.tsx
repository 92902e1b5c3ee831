import { explain } from "@sonde/proto/http/reasons";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../app/language.ts";

export default function ReasonText({ text }: { text: string }) {
  // Reading the language through the hook makes it follow a change.
  useTranslation();
  return explain(text, currentLanguage());
}
