import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { TargetSearch } from "../../entities/targets/target-picker.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";

type TargetDialogProps = {
  open: boolean;
  onClose: () => void;
  onPick: (target: TargetRef) => void;
};

export function TargetDialog({ open, onClose, onPick }: TargetDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} onClose={onClose} title={t("notificationSettings.pickTitle")}>
      {/* High enough for the open list, which would otherwise be cut off. */}
      <div className="min-h-88">
        <Field label={t("notificationSettings.pick")} hint={t("notificationSettings.pickHint")}>
          {(ids) => (
            <TargetSearch
              {...ids}
              onPick={({ type, id }) => {
                onClose();
                onPick({ type, id });
              }}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
