import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useTranslation } from "react-i18next";
import { ChannelIcon } from "../../../ui/icons/channel-icon.tsx";
import { FoundCards } from "../../../ui/choice.tsx";

export type ChoiceOfType = {
  label: string;
  types: readonly ChannelTypeName[];
  onChange: (type: ChannelTypeName) => void;
};
type TypeChoiceProps = ChoiceOfType & { type: ChannelTypeName; disabled: boolean };

export function TypeChoice({ types, type, ...choice }: TypeChoiceProps) {
  const { t } = useTranslation();
  const options = types.map((value) => ({
    value,
    icon: <ChannelIcon type={value} />,
    name: t(`channelTypes.${value}.name`),
    hint: t(`channelTypes.${value}.purpose`),
  }));
  const words = { find: t("channels.findType"), nothing: t("channels.noType") };
  return <FoundCards {...choice} {...words} value={type} options={options} />;
}
