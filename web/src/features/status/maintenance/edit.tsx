import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { maintenancePath } from "../../../app/paths.ts";
import { BackLink, isId, isMissing, Loaded, Missing } from "../../../app/screen.tsx";
import { useMaintenanceQuery, useUpdateMaintenanceMutation } from "./api.ts";
import { toInput, toValues } from "./form-values.ts";
import { WindowForm } from "./window-form.tsx";
import { PauseIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";

/** One window, and all that can be changed of it. */
export function Edit({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const query = useMaintenanceQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const [update] = useUpdateMaintenanceMutation();
  const back = t("maintenance.back");
  if (isMissing(id, query.error)) {
    return (
      <Missing icon={<PauseIcon />} title={t("maintenance.missing")} back={back} backTo={maintenancePath}>
        {t("maintenance.missingText")}
      </Missing>
    );
  }
  // A form begins with what is stored now, not with what was when it was opened before.
  const stored = query.error === undefined && !query.isFetching ? query.currentData : undefined;
  return (
    <>
      <BackLink to={maintenancePath} label={back} />
      <Loaded
        query={{ ...query, data: stored }}
        fallback="fetchData"
        placeholder={<Skeleton className="h-96 w-full" />}
      >
        {(shown) => (
          <WindowForm
            title={t(mayChange ? "maintenance.editTitle" : "maintenance.viewTitle")}
            initial={toValues(shown)}
            window={shown}
            labels={{ submit: t("maintenance.save"), saving: t("maintenance.saving"), saved: t("maintenance.saved") }}
            fallback="saveMaintenance"
            onSave={async (values) => (await update({ id, input: toInput(values, shown) }).unwrap()).message}
          />
        )}
      </Loaded>
    </>
  );
}
