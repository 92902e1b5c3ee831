import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { maintenancePath } from "../../../app/paths.ts";
import { BackLink } from "../../../app/screen.tsx";
import { usePlanMaintenanceMutation } from "./api.ts";
import { newValues, toInput } from "./form-values.ts";
import { MaintenanceOverview } from "./overview.tsx";
import { WindowForm } from "./window-form.tsx";

/** Plans a window. */
export function Create() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [plan] = usePlanMaintenanceMutation();
  const [initial] = useState(() => newValues(Date.now()));
  if (!mayChange) return <MaintenanceOverview />;
  return (
    <>
      <BackLink to={maintenancePath} label={t("maintenance.back")} />
      <WindowForm
        title={t("maintenance.newTitle")}
        initial={initial}
        window={null}
        labels={{
          submit: t("maintenance.plan"),
          saving: t("maintenance.planning"),
          saved: t("maintenance.planned"),
        }}
        fallback="planMaintenance"
        onSave={async (values) => (await plan(toInput(values)).unwrap()).message}
      />
    </>
  );
}
