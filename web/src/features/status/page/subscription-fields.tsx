import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText } from "../../../app/errors.ts";
import { useChannelsInForceQuery } from "../../../app/notifications/api.ts";
import { paths } from "../../../app/paths.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Select, Switch } from "../../../ui/inputs.tsx";
import type { PageValues } from "./form-values.ts";

const mailTypes: readonly string[] = ["smtp", "resend"];

/** Whether people may subscribe by mail, and through which channel mails leave. */
export function SubscriptionFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<PageValues>();
  const [subscribe, channelId] = useWatch<PageValues, ["subscribe", "channelId"]>({ name: ["subscribe", "channelId"] });
  const { data: config } = useConfigQuery();
  const { data: channels, error } = useChannelsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const usable = channels?.filter(({ type }) => mailTypes.includes(type)) ?? [];
  const chosen = usable.find(({ id }) => String(id) === channelId);
  const isGone = channels !== undefined && channelId !== "" && chosen === undefined;
  const hasNone = channels !== undefined && usable.length === 0;
  return (
    <Card title={t("statusPage.subscriptions.title")}>
      <div className="flex flex-col gap-4">
        <Switch
          label={t("statusPage.subscriptions.enabled")}
          hint={t("statusPage.subscriptions.enabledHint")}
          {...register("subscribe")}
        />
        <FormField<PageValues>
          name="channelId"
          label={t("statusPage.subscriptions.channel")}
          hint={t("statusPage.subscriptions.channelHint")}
        >
          {(field) => (
            <Select {...field} key={channels === undefined ? "waiting" : "here"} className="w-full sm:max-w-80">
              <option value="">{t("statusPage.subscriptions.noChannel")}</option>
              {usable.map(({ id, name, type, enabled }) => (
                <option key={id} value={id}>
                  {name} ({t(`channelTypes.${type}.name`)}){enabled ? "" : ` · ${t("alerting.channelOff")}`}
                </option>
              ))}
              {channelId !== "" && chosen === undefined && (
                <option value={channelId}>{isGone ? t("statusPage.subscriptions.gone") : "…"}</option>
              )}
            </Select>
          )}
        </FormField>
        {error !== undefined && <p className="text-[13px] text-down-ink">{errorText(error, "fetchData")}</p>}
        {hasNone && (
          <Alert kind="info">
            {t("statusPage.subscriptions.noneYet")}{" "}
            <Link to={paths.channelCreate} className="underline">
              {t("statusPage.subscriptions.addChannel")}
            </Link>
          </Alert>
        )}
        {subscribe && !hasNone && channelId === "" && channels !== undefined && (
          <p className="text-[13px] text-warn-ink">{t("statusPage.subscriptions.choose")}</p>
        )}
        {subscribe && chosen?.enabled === false && (
          <p className="text-[13px] text-warn-ink">{t("statusPage.subscriptions.channelOff")}</p>
        )}
        {subscribe && config?.publicUrl === null && (
          <p className="text-[13px] text-warn-ink">{t("statusPage.subscriptions.noPublicUrl")}</p>
        )}
      </div>
    </Card>
  );
}
