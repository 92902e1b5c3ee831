import { lazy, Suspense, useState } from "react";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ChevronRightIcon } from "../../../../ui/icons.tsx";
import { connectionNames, emptyHttp, type HttpForm } from "./values.ts";

const ConnectionFields = lazy(() => import("./connection.tsx"));

/** Seldom wanted: drawn once it is opened, or is in use. */
export function ConnectionGroup() {
  const { t } = useTranslation();
  const { getValues, formState } = useFormContext<HttpForm>();
  const [isOpen, setOpen] = useState(() => {
    const values = getValues("http");
    return connectionNames.some((name) => JSON.stringify(values[name]) !== JSON.stringify(emptyHttp[name]));
  });
  const isShown = isOpen || connectionNames.some((name) => formState.errors.http?.[name] !== undefined);
  return (
    <details
      open={isShown}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/connection min-w-0 px-4 py-4 md:px-5"
    >
      <summary className="flex list-none flex-wrap items-center gap-x-2 rounded-md [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-4 text-muted transition-transform group-open/connection:rotate-90" />
        <span className="text-[13px] font-semibold text-muted">{t("monitorKinds.http.connection.title")}</span>
        <span className="text-[13px] text-faint">{t("monitorKinds.http.connection.titleHint")}</span>
      </summary>
      {isShown && (
        <div className="pt-4">
          <Suspense fallback={null}>
            <ConnectionFields />
          </Suspense>
        </div>
      )}
    </details>
  );
}
