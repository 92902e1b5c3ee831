import { useEffect, useEffectEvent, useState } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useStore } from "react-redux";
import { useLocation } from "react-router";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { dropDraft, findDraft, keepDraft } from "./drafts.ts";
import { useSession } from "./hooks.ts";
import { sessionIn } from "./session.ts";

type FormDraftProps<Values extends FieldValues, More> = {
  /** Which form of the page it is. */
  name: string;
  form: UseFormReturn<Values>;
  /** Something was typed that is not saved. */
  unsaved: boolean;
  /** What the form knows beside its fields, and how it is set. */
  more?: { value: More; set: (value: More) => void };
};

/**
 * Keeps what was typed into a form when its session ends, and brings it back once the same user has logged in again and
 * the page is open again; says so above the form. A logout in this tab keeps nothing: a logout means that the work is done.
 */
export function FormDraft<Values extends FieldValues, More = never>(props: FormDraftProps<Values, More>) {
  const { name, form, unsaved, more } = props;
  const { t } = useTranslation();
  const store = useStore();
  const { pathname, search } = useLocation();
  const { user } = useSession();
  const place = `${pathname}${search} ${name}`;
  const [draft, setDraft] = useState(() => findDraft<{ values: Values; more?: More }>(user?.id, place));

  const bringBack = useEffectEvent(() => {
    if (draft === null) return;
    dropDraft(place);
    if (more !== undefined && draft.more !== undefined) more.set(draft.more);
    form.reset(draft.values, { keepDefaultValues: true });
  });
  // After the effects of the form around it, which may set its first values.
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
    // At once, before the page is left for /login.
    let before = sessionIn(store.getState());
    return store.subscribe(() => {
      const owner = before.user;
      const now = sessionIn(store.getState());
      before = now;
      if (owner !== null && now.status === "anonymous" && now.ended !== "logout") keep(owner.id);
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
