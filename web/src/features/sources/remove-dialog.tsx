import type { ConfigSource } from "@sonde/proto/http/config/apply";
import { managedKinds } from "@sonde/proto/http/config/managed";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useRemoveSourceMutation } from "../../entities/managed/api.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";

/** Lists the numbers of objects a source owns, or `undefined` if there are none. */
export function useCounts({ objects }: ConfigSource): string | undefined {
  const { t, i18n } = useTranslation();
  const parts = managedKinds.flatMap((kind) => {
    const count = objects[kind] ?? 0;
    return count > 0 ? [t(`sources.counts.${kind}`, { count })] : [];
  });
  return parts.length === 0 ? undefined : new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(parts);
}

type RemoveDialogProps = {
  source: ConfigSource;
  /** `null` closes the dialog. */
  mode: "keep" | "remove" | null;
  onClose: () => void;
  onRemoved: (notice: string) => void;
};

export function RemoveDialog({ source, mode, onClose, onRemoved }: RemoveDialogProps) {
  const { t } = useTranslation();
  const [remove] = useRemoveSourceMutation();
  const [typed, setTyped] = useState("");
  // Keeps its content while the dialog fades out.
  const [lastMode, setLastMode] = useState<"keep" | "remove">("keep");
  if (mode !== null && mode !== lastMode) setLastMode(mode);
  const { name } = source;
  const what = useCounts(source) ?? t("sources.nothing");
  const all = lastMode === "keep" ? "releaseAll" : "removeAll";
  function close() {
    setTyped("");
    onClose();
  }
  return (
    <ConfirmDialog
      open={mode !== null}
      onClose={close}
      title={t(`sources.${all}Title`, { name })}
      description={t(`sources.${all}Text`, { name, what })}
      confirmLabel={t(`sources.${all}`)}
      savingLabel={t(lastMode === "keep" ? "sources.releasing" : "sources.removing")}
      isReady={lastMode === "keep" || typed.trim() === name}
      onConfirm={async () => {
        const { data, error } = await remove({ name, keep: lastMode === "keep" });
        if (error !== undefined) throw new Error(errorText(error, lastMode === "keep" ? "release" : "deletion"));
        onRemoved(data?.message ?? t(lastMode === "keep" ? "sources.released" : "sources.removedAll"));
      }}
    >
      {lastMode === "remove" && (
        <Field label={t("sources.typeName", { name })}>
          {(ids) => (
            <Input
              {...ids}
              mono
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
      )}
    </ConfirmDialog>
  );
}
