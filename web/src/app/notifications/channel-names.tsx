import { useTranslation } from "react-i18next";
import type { Channels } from "./api.ts";

type ChannelNamesProps = {
  ids: readonly number[];
  /** Undefined while they are on their way. */
  channels: Channels | undefined;
  isAway: boolean;
};

/** Channels by name; those that reach no one at present are marked. */
export function ChannelNames({ ids, channels, isAway }: ChannelNamesProps) {
  const { t } = useTranslation();
  if (channels === undefined) return isAway ? t("alerting.channelCount", { count: ids.length }) : "…";
  return (
    <ul>
      {ids.map((id) => {
        const channel = channels.find((each) => each.id === id);
        if (channel === undefined) return null;
        const { name, enabled, healthy } = channel;
        const fault = !enabled ? t("alerting.channelOff") : healthy ? undefined : t("alerting.channelBroken");
        return (
          <li key={id}>
            {name}
            {fault !== undefined && <span className="text-warn-ink"> · {fault}</span>}
          </li>
        );
      })}
    </ul>
  );
}
