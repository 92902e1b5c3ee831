import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useConfigQuery } from "../../../app/config.ts";
import { paths } from "../../../app/paths.ts";
import { Alert } from "../../../ui/alert.tsx";
import { useStatusConfigQuery } from "../page/api.ts";

/** Why no one can subscribe, where that is so. */
export function SubscriptionHint() {
  const { t } = useTranslation();
  const { data: config } = useConfigQuery();
  const { data: page } = useStatusConfigQuery();
  if (page === undefined) return null;
  const { enabled, channelId } = page.config.subscriptions;
  if (!enabled || channelId === null) {
    return (
      <Alert kind="info" className="mb-4">
        {t(enabled ? "subscribers.noChannel" : "subscribers.off")}{" "}
        <Link to={paths.statusConfig} className="underline">
          {t("subscribers.toSettings")}
        </Link>
      </Alert>
    );
  }
  if (config?.publicUrl !== null) return null;
  return (
    <Alert kind="info" className="mb-4">
      {t("subscribers.noPublicUrl")}
    </Alert>
  );
}
