import { useTranslation } from "react-i18next";
import { errorText, statusOf } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { PauseIcon } from "../../../ui/icons.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { BackLink } from "../back-link.tsx";
import { useMaintenanceQuery, useUpdateMaintenanceMutation } from "./api.ts";
import { toInput, toValues } from "./form-values.ts";
import { WindowForm } from "./window-form.tsx";
import { maintenancePath } from "./addresses.ts";

/** One window, and all that can be changed of it. */
export function Edit({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const isId = Number.isInteger(id) && id > 0;
  const { currentData, error, isFetching, refetch } = useMaintenanceQuery(id, {
    skip: !isId,
    refetchOnMountOrArgChange: true,
  });
  const [update] = useUpdateMaintenanceMutation();
  if (!isId || statusOf(error) === 404) {
    return (
      <Card>
        <EmptyState
          icon={<PauseIcon />}
          title={<span role="alert">{t("maintenance.missing")}</span>}
          action={<ButtonLink to={maintenancePath}>{t("maintenance.back")}</ButtonLink>}
        >
          {t("maintenance.missingText")}
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <BackLink to={maintenancePath} label={t("maintenance.back")} />
      {error !== undefined ? (
        <Card>
          <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
        </Card>
      ) : currentData === undefined || isFetching ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <WindowForm
          title={t(mayChange ? "maintenance.editTitle" : "maintenance.viewTitle")}
          initial={toValues(currentData)}
          window={currentData}
          labels={{ submit: t("maintenance.save"), saving: t("maintenance.saving"), saved: t("maintenance.saved") }}
          fallback="saveMaintenance"
          onSave={async (values) => (await update({ id, input: toInput(values, currentData) }).unwrap()).message}
        />
      )}
    </>
  );
}
