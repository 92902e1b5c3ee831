import type { SavedView } from "@sonde/proto/http/views";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { FormButtons } from "../../../app/forms/save-form.tsx";
import { useSession } from "../../../app/hooks.ts";
import { toast } from "../../../ui/alert.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { Checkbox, Input } from "../../../ui/inputs.tsx";
import { useSaveViewsMutation, useViewsQuery } from "../views.ts";

type SaveViewProps = { view: Pick<SavedView, "query" | "columns">; onClose: () => void };

export default function SaveView({ view, onClose }: SaveViewProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  // Saving replaces all views, so they are read again.
  const { data: known } = useViewsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [save, { isLoading, error }] = useSaveViewsMutation();
  const [text, setText] = useState("");
  const [isShared, setShared] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const name = text.trim();
    const others = known?.views.filter((each) => each.name !== name) ?? [];
    const { data } = await save([...others, { name, ...view, ...(isShared && { shared: true as const }) }]);
    if (data === undefined) return;
    toast("success", t("views.saved", { name }));
    onClose();
  }
  return (
    <Dialog onClose={onClose} title={t("views.saveTitle")} description={t("views.saveText")}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field
          label={t("views.name")}
          error={error && (fieldErrorsOf(error)[0]?.message ?? errorText(error, "unknown"))}
        >
          {(field) => <Input {...field} maxLength={60} value={text} onChange={({ target }) => setText(target.value)} />}
        </Field>
        {mayChange && <Checkbox label={t("views.share")} checked={isShared} onChange={() => setShared(!isShared)} />}
        <FormButtons of={{ isSaving: isLoading }} submit={t("views.saveTitle")} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
