import { useEffect, useEffectEvent } from "react";
import { type DefaultValues, type FieldPath, type FieldValues, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, type Fallback, fieldErrorsOf } from "../../../app/errors.ts";
import { currentLanguage } from "../../../app/language.ts";
import { type FormFault, resolveFaults } from "../../../lib/form-faults.ts";
import { placeFaults } from "../../../lib/server-faults.ts";
import { useTranslatedMessage } from "../../../lib/translated-message.ts";
import { atField } from "./form-values.ts";

type Saving<Values extends FieldValues> = {
  initial: Values;
  check: (values: Values) => FormFault[];
  /** Those that can show a fault of the server. */
  fields: readonly FieldPath<Values>[];
  /** Rejects with the call's error. */
  onSave: (values: Values) => Promise<void>;
  fallback: Fallback;
  /** Beside which field a fault of the input stands. */
  place?: <Fault extends { path: string }>(fault: Fault) => Fault;
};

/** A form that checks, saves, and keeps what was typed when that fails. Faults are said anew in another language. */
export function useSaving<Values extends FieldValues>(saving: Saving<Values>) {
  const { initial, check, fields, onSave, fallback, place = atField } = saving;
  const { i18n } = useTranslation();
  const [error, setError] = useTranslatedMessage();
  const form = useForm<Values>({
    defaultValues: initial as DefaultValues<Values>,
    resolver: resolveFaults(check, currentLanguage),
  });
  const { isSubmitted, isDirty, isSubmitting } = form.formState;
  const sayAnew = useEffectEvent(() => {
    if (isSubmitted) void form.trigger();
  });
  useEffect(() => sayAnew(), [i18n.language]);
  const save = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await onSave(values);
    } catch (reason) {
      const rest = placeFaults(form, fields, fieldErrorsOf(reason).map(place));
      setError(() => [errorText(reason, fallback), ...rest].join(" · "));
    }
  });
  return {
    form,
    error,
    isDirty,
    isSubmitting,
    submit: (event: { preventDefault(): void }) => void save(event as never),
  };
}
