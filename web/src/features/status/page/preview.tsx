import { statusConfig } from "@sonde/proto/http/status/config";
import { useMemo, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useStatusPreviewQuery } from "./api.ts";
import { type PageValues, readInput } from "./form-values.ts";
import { PhoneIcon, ScreenIcon } from "../../../ui/icons.tsx";
import { PreviewFrame, type PreviewWidth } from "./preview-frame.tsx";

const waitMs = 400;

/** The page as the form would make it, written by the server. What is typed is shown once it is valid. */
export function Preview({ initialWidth }: { initialWidth: PreviewWidth }) {
  const { t, i18n } = useTranslation();
  const { control } = useFormContext<PageValues>();
  const [width, setWidth] = useState<PreviewWidth>(initialWidth);
  const typed = useWatch<PageValues>({ control }) as PageValues;
  const values = useSettled(typed, waitMs);
  const input = useMemo(() => readInput(values), [values]);
  const isValid = useMemo(() => statusConfig.safeParse(input).success, [input]);
  const { data, error, isFetching, refetch } = useStatusPreviewQuery(
    { input, language: i18n.language },
    { skip: !isValid },
  );
  const widths = [
    { value: "desktop", label: t("statusPage.preview.desktop"), icon: <ScreenIcon /> },
    { value: "phone", label: t("statusPage.preview.phone"), icon: <PhoneIcon /> },
  ] as const;
  return (
    <Card
      flush
      title={
        <span className="inline-flex items-center gap-2">
          {t("statusPage.preview.title")}
          {isFetching && <Spinner />}
        </span>
      }
      actions={
        <Segmented
          label={t("statusPage.preview.width")}
          value={width}
          onChange={setWidth}
          options={widths.map(({ value, label, icon }) => ({
            value,
            label: (
              <span className="inline-flex items-center gap-1.5">
                {icon}
                {label}
              </span>
            ),
          }))}
        />
      }
    >
      {!isValid && (
        <p role="status" className="border-b border-line px-4 py-2 text-[13px] text-muted">
          {t("statusPage.preview.invalid")}
        </p>
      )}
      {error !== undefined && (
        <Alert
          kind="error"
          className="m-3"
          action={
            <Button size="sm" variant="ghost" onClick={() => void refetch()}>
              {t("common.retry")}
            </Button>
          }
        >
          {errorText(error, "previewStatusPage")}
        </Alert>
      )}
      {data !== undefined ? (
        <PreviewFrame html={data.html} width={width} title={t("statusPage.preview.frame")} />
      ) : (
        error === undefined && isValid && <Skeleton className="m-4 h-96" />
      )}
    </Card>
  );
}
