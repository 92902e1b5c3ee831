import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ChannelIcon } from "../../ui/icons/channel-icon.tsx";
import { FieldError } from "../../ui/field.tsx";
import { Checkbox } from "../../ui/inputs.tsx";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import type { Channels } from "./api.ts";
import { problemOf } from "./audience.tsx";

type ChannelChoiceProps = {
  /** `undefined` while loading. */
  channels: Channels | undefined;
  failure: unknown;
  error?: string | undefined;
  value: readonly number[];
  onChange: (value: number[]) => void;
  onBlur: () => void;
  /** A rule without channels is an error, which needs no warning. */
  isRule?: boolean;
};

export function ChannelChoice({ channels, failure, error, value, onChange, onBlur, isRule }: ChannelChoiceProps) {
  const { t } = useTranslation();
  const chosen = value.filter((id) => channels?.some((channel) => channel.id === id) ?? true);
  const choose = (id: number, isOn: boolean) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <div className="flex flex-col gap-2">
      {failure !== undefined && <p className="text-down-ink">{errorText(failure, "fetchData")}</p>}
      {channels?.length === 0 && (
        <p className="text-muted">
          {t("notificationSettings.noChannels")}{" "}
          <Link to={paths.notifications} className="underline">
            {t("notificationSettings.addChannel")}
          </Link>
        </p>
      )}
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {channels?.map((channel) => {
          const { id, name, type } = channel;
          const problem = problemOf(channel);
          return (
            <Checkbox
              key={id}
              checked={chosen.includes(id)}
              onBlur={onBlur}
              onChange={({ target }) => choose(id, target.checked)}
              label={
                <span className="inline-flex flex-wrap items-center gap-x-2">
                  <ChannelIcon type={type} className="size-4 text-muted" />
                  {name}
                  {problem !== undefined && (
                    <span className="text-[13px] text-warn-ink">{t(`alerting.${problem}`)}</span>
                  )}
                </span>
              }
            />
          );
        })}
      </div>
      {!isRule && channels !== undefined && channels.length > 0 && chosen.length === 0 && (
        <p className="text-[13px] text-warn-ink">{t("notificationSettings.noneChosen")}</p>
      )}
      <FieldError text={error} />
    </div>
  );
}
