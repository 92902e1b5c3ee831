import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { paths } from "../../../app/paths.ts";
import { ChannelIcon } from "../../../ui/channel-icon.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { useChannelsQuery } from "../api.ts";
import type { SettingsValues } from "./form-values.ts";

/** Which channels are notified; those that reach no one at present are marked. */
export function ChannelFields() {
  const { t } = useTranslation();
  const { data, error } = useChannelsQuery();
  const { field, fieldState } = useController<SettingsValues, "channels">({ name: "channels" });
  const channels = data?.channels ?? [];
  const chosen = field.value.filter((id) => data === undefined || channels.some((channel) => channel.id === id));
  const choose = (id: number, isOn: boolean) =>
    field.onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <div className="flex flex-col gap-2">
      {error !== undefined && <p className="text-down-ink">{errorText(error, "fetchData")}</p>}
      {data !== undefined && channels.length === 0 && (
        <p className="text-muted">
          {t("notificationSettings.noChannels")}{" "}
          <Link to={paths.notifications} className="underline">
            {t("notificationSettings.addChannel")}
          </Link>
        </p>
      )}
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {channels.map(({ id, name, type, enabled, healthy }) => (
          <Checkbox
            key={id}
            checked={chosen.includes(id)}
            onBlur={field.onBlur}
            onChange={({ target }) => choose(id, target.checked)}
            label={
              <span className="inline-flex flex-wrap items-center gap-x-2">
                <ChannelIcon type={type} className="size-4 text-muted" />
                {name}
                {(!enabled || !healthy) && (
                  <span className="text-[13px] text-warn-ink">
                    {healthy ? t("notificationSettings.channelOff") : t("notificationSettings.broken")}
                  </span>
                )}
              </span>
            }
          />
        ))}
      </div>
      {channels.length > 0 && chosen.length === 0 && (
        <p className="text-[13px] text-warn-ink">{t("notificationSettings.noneChosen")}</p>
      )}
      {fieldState.error !== undefined && (
        <p role="alert" className="text-[13px] text-down-ink">
          {fieldState.error.message}
        </p>
      )}
    </div>
  );
}
