import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useTranslation } from "react-i18next";
import { ChannelIcon } from "../../../ui/channel-icon.tsx";
import { ChoiceCards } from "../../../ui/choice.tsx";

type TypeChoiceProps = {
  label: string;
  types: readonly ChannelTypeName[];
  value: ChannelTypeName;
  onChange: (type: ChannelTypeName) => void;
  disabled: boolean;
};

/** Which type of channel, each with a line about what it is. */
export function TypeChoice({ types, ...props }: TypeChoiceProps) {
  const { t } = useTranslation();
  const options = types.map((type) => ({
    value: type,
    icon: <ChannelIcon type={type} />,
    name: t(`channelTypes.${type}.name`),
    hint: t(`channelTypes.${type}.purpose`),
  }));
  return <ChoiceCards {...props} options={options} />;
}
