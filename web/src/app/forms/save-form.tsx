import { type BaseSyntheticEvent, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import {
  type DefaultValues,
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  FormProvider,
  useForm,
  type UseFormReturn,
} from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useStore } from "react-redux";
import { useLocation } from "react-router-dom";
import { type FormError, errorResolver, useTranslatedMessage } from "../../lib/form-errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText, type Fallback, fieldErrorsOf } from "../errors.ts";
import { useSession } from "../hooks.ts";
import { currentLanguage } from "../i18n.ts";
import type { RootState } from "../store.ts";

/** What follows a save: a function that leaves the form, a success message, or nothing. */
export type AfterSave = (() => void) | string | void;

type FormEvent = { preventDefault(): void; currentTarget: Element };

type SaveFormOptions<Values extends FieldValues> = {
  initial?: Values;
  /** Stored values. The form follows them, except in fields that the user has changed. */
  stored?: Values;
  check: (values: Values) => FormError[];
  /** Rejects with the call's error. */
  onSave: (values: Values) => Promise<AfterSave>;
  fallback: Fallback;
  /**
   * The field that shows a server error. `null` shows it as the form's own error. `undefined`, or no function, means
   * the field of the same name.
   */
  fieldOf?: (path: string, values: Values) => string | null | undefined;
  /** Error above a form with invalid fields. Called on each render, so that it follows the language. */
  invalidText?: () => string;
  onInvalid?: (errors: FieldErrors<Values>) => void;
  /** Called after server errors were placed next to `fields`. */
  onErrors?: (paths: readonly string[], placed: number) => void;
  onUnsaved?: (unsaved: boolean) => void;
};

/** Returns a function that leaves the page after the render that disables its guard. */
export function useLeave() {
  const [go, setGo] = useState<(() => void) | null>(null);
  useEffect(() => go?.(), [go]);
  return { isLeaving: go !== null, leave: (to: () => void) => setGo(() => to) };
}

export function useSaveForm<Values extends FieldValues>(options: SaveFormOptions<Values>) {
  const { initial, stored, check, onSave, fallback, fieldOf, onErrors } = options;
  const { i18n } = useTranslation();
  const [error, setError] = useTranslatedMessage();
  // A summary of errors in fields. It disappears with the last of them.
  const [isSummary, setIsSummary] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  const { isLeaving, leave } = useLeave();
  const form = useForm<Values>({
    ...(stored === undefined
      ? { defaultValues: initial as DefaultValues<Values> }
      : { values: stored, resetOptions: { keepDirtyValues: true } }),
    resolver: errorResolver(check, currentLanguage),
    // The first invalid field on the page gets the focus. The library would take the first one rendered.
    shouldFocusError: false,
  });
  const { isDirty, isSubmitting, isSubmitted, errors: fieldErrors } = form.formState;
  const unsaved = isDirty && !isLeaving;

  // Error texts are validated again in the new language.
  const checkAgain = useEffectEvent(() => {
    if (isSubmitted) void form.trigger();
  });
  useEffect(() => checkAgain(), [i18n.language]);

  // An effect instead of a timer: invalid fields are marked and expanded by then, even if rendering is slow.
  const [sentForm, setSentForm] = useState<{ element: Element | null }>();
  useEffect(() => focusFirstError(sentForm?.element), [sentForm]);

  const reportUnsaved = useEffectEvent((now: boolean) => options.onUnsaved?.(now));
  useEffect(() => {
    reportUnsaved(isDirty);
    return () => reportUnsaved(false);
  }, [isDirty]);

  function fail(reason: unknown, line: Fallback = fallback) {
    const errors = fieldErrorsOf(reason);
    const unplaced: string[] = [];
    for (const { path, message } of errors) {
      const values = form.getValues();
      const named = fieldOf?.(path, values);
      const field = named === undefined ? ownField(path, values) : named;
      if (field === null) unplaced.push(message);
      else form.setError(field as FieldPath<Values>, { message });
    }
    setError(() => [errorText(reason, line), ...unplaced].join(" · "));
    setIsSummary(errors.length > unplaced.length && unplaced.length === 0);
    onErrors?.(
      errors.map(({ path }) => path),
      errors.length - unplaced.length,
    );
  }
  /** Sends valid values with `send`: the form's save, or another call such as a test. */
  const sendWith = (send: (values: Values) => Promise<AfterSave>, line?: Fallback) => async (event?: FormEvent) => {
    const element = event?.currentTarget.closest("form") ?? null;
    const handle = form.handleSubmit(
      async (values) => {
        setError(null);
        setIsSummary(false);
        setSaved(null);
        try {
          const after = await send(values);
          if (typeof after === "function") leave(after);
          else setSaved(after ?? null);
        } catch (reason) {
          fail(reason, line);
        }
      },
      (errors) => {
        options.onInvalid?.(errors);
        if (options.invalidText === undefined) return;
        setError(options.invalidText);
        setIsSummary(true);
      },
    );
    await handle(event as BaseSyntheticEvent | undefined);
    setSentForm({ element });
  };
  const submit = (event: FormEvent) => void sendWith(onSave)(event);
  const isMended = isSummary && Object.keys(fieldErrors).length === 0;
  return {
    form,
    error: isMended ? null : error,
    setError,
    saved,
    isDirty,
    unsaved,
    isSaving: isSubmitting || isLeaving,
    submit,
    sendWith,
  };
}

function focusFirstError(form: Element | null | undefined) {
  form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

/** Returns the field with the server's name. An error in an element (`targets.0`) belongs to its list. */
export function ownField(path: string, values: object): string | null {
  const [field = ""] = path.split(".");
  return field in values ? field : null;
}

type SaveFormProps<Values extends FieldValues> = {
  of: FormMessagesProps<Values, never>["of"] & { submit: (event: FormEvent) => void };
  draft?: string;
  children: ReactNode;
};

export function SaveForm<Values extends FieldValues>({ of, draft, children }: SaveFormProps<Values>) {
  return (
    <FormProvider {...of.form}>
      <form noValidate onSubmit={of.submit} className="flex flex-col gap-4">
        <FormMessages of={of} draft={draft} />
        {children}
      </form>
    </FormProvider>
  );
}

type FormMessagesProps<Values extends FieldValues, More> = {
  of: { form: UseFormReturn<Values>; error: string | null; saved: string | null; isDirty: boolean; unsaved: boolean };
  draft?: string | undefined;
  /** Data that the draft stores in addition to the fields. */
  more?: { value: More; set: (value: More) => void };
  className?: string;
};

export function FormMessages<Values extends FieldValues, More = never>(props: FormMessagesProps<Values, More>) {
  const { of, draft, more, className } = props;
  const { form, error, saved, isDirty, unsaved } = of;
  return (
    <>
      {draft !== undefined && <FormDraft name={draft} form={form} unsaved={unsaved} more={more} />}
      {error !== null && (
        <Alert kind="error" className={className}>
          {error}
        </Alert>
      )}
      {saved !== null && !isDirty && (
        <Alert kind="success" className={className}>
          {saved}
        </Alert>
      )}
    </>
  );
}

type FormButtonsProps = {
  of: { isSaving: boolean };
  submit?: string;
  saving?: string;
  onCancel?: () => void;
  /** True if the request cannot be undone. */
  holdsCancel?: boolean;
};

export function FormButtons({ of: { isSaving }, submit, saving, onCancel, holdsCancel = false }: FormButtonsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {onCancel !== undefined && (
        <Button variant="ghost" onClick={onCancel} disabled={holdsCancel && isSaving}>
          {t("common.cancel")}
        </Button>
      )}
      <Button type="submit" variant="primary" saving={isSaving} savingLabel={saving ?? t("common.saving")}>
        {submit ?? t("common.saveChanges")}
      </Button>
    </div>
  );
}

type FormDraftProps<Values extends FieldValues, More> = {
  name: string;
  form: UseFormReturn<Values>;
  unsaved: boolean;
  more?: { value: More; set: (value: More) => void };
};

/**
 * Keeps unsaved input when the session ends, and restores it when the same user has logged in and opened the page
 * again, with a notice above the form. Logging out in this tab discards it.
 */
export function FormDraft<Values extends FieldValues, More = never>(props: FormDraftProps<Values, More>) {
  const { name, form, unsaved, more } = props;
  const { t } = useTranslation();
  const store = useStore<RootState>();
  const { pathname, search } = useLocation();
  const { user } = useSession();
  const place = `${pathname}${search} ${name}`;
  const [draft, setDraft] = useState(() => findDraft<{ values: Values; more?: More }>(user?.id, place));

  const bringBack = useEffectEvent(() => {
    if (draft === null) return;
    kept?.drafts.delete(place);
    if (more !== undefined && draft.more !== undefined) more.set(draft.more);
    form.reset(draft.values, { keepDefaultValues: true });
  });
  // Runs after the effects of the form, which may set initial values.
  useEffect(() => {
    let isHere = true;
    queueMicrotask(() => isHere && bringBack());
    return () => void (isHere = false);
  }, []);

  const keep = useEffectEvent((userId: number) => {
    keepDraft(userId, place, { values: structuredClone(form.getValues()), more: more?.value });
  });
  useEffect(() => {
    if (!unsaved) return;
    // Runs before the redirect to /login.
    let { user: owner } = store.getState().session;
    return store.subscribe(() => {
      const before = owner;
      const { session } = store.getState();
      owner = session.user;
      if (before !== null && session.status === "anonymous" && session.ended !== "logout") keep(before.id);
    });
  }, [store, unsaved]);

  if (draft === null || !unsaved) return null;
  const discard = () => {
    form.reset();
    setDraft(null);
  };
  return (
    <Alert
      kind="info"
      action={
        <Button size="sm" variant="ghost" className="-my-1" onClick={discard}>
          {t("auth.discardDraft")}
        </Button>
      }
    >
      {t("auth.draftBack")}
    </Alert>
  );
}

/**
 * Unsaved form input when a session ended, by path and form. Kept only in memory, because it may contain secrets: it
 * survives a login but no reload. Other users cannot see it.
 */
let kept: { userId: number; drafts: Map<string, unknown> } | null = null;

function keepDraft(userId: number, place: string, draft: unknown): void {
  if (kept?.userId !== userId) kept = { userId, drafts: new Map() };
  kept.drafts.set(place, draft);
}

function findDraft<Draft>(userId: number | undefined, place: string): Draft | null {
  if (kept !== null && kept.userId !== userId) kept = null;
  return (kept?.drafts.get(place) as Draft | undefined) ?? null;
}
