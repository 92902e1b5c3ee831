import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import { useTranslation } from "react-i18next";
import { i18n } from "../../../app/i18n.ts";

/** The words of a field of a channel's form. That none is missing is checked where the catalogue is written. */
export function useFieldWords(type: ChannelTypeName) {
  const { t } = useTranslation();
  const text = (key: string) => (i18n.exists(key) ? t(key as "channelTypes.slack.name") : undefined);
  return (name: string) => ({
    label: text(`channelTypes.${type}.fields.${name}.label`) ?? name,
    hint: text(`channelTypes.${type}.fields.${name}.hint`),
    /** A choice without words of its own stands as it is: `POST`. */
    optionOf: (option: string) => text(`channelTypes.${type}.fields.${name}.options.${option}`) ?? option,
  });
}
