import { basePath } from "../../../lib/base-path.ts";
import { translate } from "@sonde/proto/http/messages";
import { imageTypes, maxImageBytes } from "@sonde/proto/http/status/images";
import { useState } from "react";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Field, Lockable } from "../../../ui/field.tsx";
import { useUploadImageMutation } from "./api.ts";
import type { PageValues } from "./form-values.ts";

const base64Of = async (file: File) =>
  btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));

/** Uploads an image when it is chosen. The page shows it after saving. */
export function ImageField({ name }: { name: "logo" | "favicon" }) {
  const { t } = useTranslation();
  const { field, fieldState } = useController<PageValues, "logo" | "favicon">({ name });
  const [upload, { isLoading }] = useUploadImageMutation();
  const [failure, setFailure] = useState<string>();
  const label = t(`statusPage.fields.${name}.label`);
  async function choose(file: File) {
    setFailure(undefined);
    if (file.size > maxImageBytes) return setFailure(translate("The image can have at most 200 KB", currentLanguage()));
    try {
      const { image } = await upload(await base64Of(file)).unwrap();
      field.onChange(image.id);
    } catch (error) {
      setFailure(fieldErrorsOf(error)[0]?.message ?? errorText(error, "saveStatusConfig"));
    }
  }
  return (
    <Lockable name={name}>
      <Field label={label} hint={t(`statusPage.fields.${name}.hint`)} error={failure ?? fieldState.error?.message}>
        {(ids) => (
          <div className="flex min-h-10 flex-wrap items-center gap-2">
            {field.value !== null && (
              <img
                src={`${basePath}/api/status/images/${field.value}`}
                alt={t("statusPage.logo.shown", { name: label })}
                className="h-10 max-w-40 rounded-md border border-line bg-sunken object-contain p-1"
              />
            )}
            <input
              {...ids}
              type="file"
              accept={imageTypes.join(",")}
              className="peer sr-only"
              disabled={isLoading}
              onChange={({ target }) => {
                if (target.files?.[0] !== undefined) void choose(target.files[0]);
                // Allows selecting the same file again after it was changed.
                target.value = "";
              }}
            />
            <label
              htmlFor={ids.id}
              className={cx(
                buttonClass("secondary", "sm"),
                "cursor-pointer peer-disabled:pointer-events-none peer-disabled:opacity-50 peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-(--focus)",
              )}
            >
              {t(isLoading ? "statusPage.logo.uploading" : "statusPage.logo.choose")}
              <span className="sr-only">: {label}</span>
            </label>
            {field.value !== null && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={t("statusPage.logo.removeNamed", { name: label })}
                onClick={() => field.onChange(null)}
              >
                {t("statusPage.logo.remove")}
              </Button>
            )}
          </div>
        )}
      </Field>
    </Lockable>
  );
}
