import type { SavedView } from "@sonde/proto/http/views";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { Alert, toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { Checkbox, Input } from "../../../ui/inputs.tsx";
import { useSaveViewsMutation } from "../views.ts";

type SaveViewProps = { views: readonly SavedView[]; view: Pick<SavedView, "query" | "columns">; onClose: () => void };

export default function SaveView({ views, view, onClose }: SaveViewProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [save, { isLoading, error }] = useSaveViewsMutation();
  const [text, setText] = useState("");
  const [isShared, setShared] = useState(false);
  const name = text.trim();
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isLoading || name === "") return;
    const others = views.filter((each) => each.name !== name);
    const { data } = await save([...others, { name, ...view, ...(isShared && { shared: true as const }) }]);
    if (data === undefined) return;
    toast("success", t("views.saved", { name }));
    onClose();
  }
  return (
    <Dialog onClose={onClose} title={t("views.saveTitle")} description={t("views.saveText")}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {error !== undefined && <Alert kind="error">{errorText(error, "unknown")}</Alert>}
        <Field label={t("views.name")}>
          {(field) => <Input {...field} maxLength={60} value={text} onChange={({ target }) => setText(target.value)} />}
        </Field>
        {mayChange && <Checkbox label={t("views.share")} checked={isShared} onChange={() => setShared(!isShared)} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            disabled={name === ""}
            saving={isLoading}
            savingLabel={t("common.saving")}
          >
            {t("views.saveTitle")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
