import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { WarnIcon } from "../ui/icons.tsx";
import { EmptyState } from "../ui/states.tsx";

/** What stands where a screen broke, or where its chunk is gone because a new version was installed. */
export function Crash() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<WarnIcon />}
      title={<span role="alert">{t("crash.title")}</span>}
      action={
        <Button variant="primary" onClick={() => location.reload()}>
          {t("crash.reload")}
        </Button>
      }
    >
      {t("crash.text")}
    </EmptyState>
  );
}
