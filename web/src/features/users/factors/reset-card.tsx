import type { User } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { useState } from "react";
import { errorText } from "../../../app/errors.ts";
import { useResetFactorsMutation } from "../../../entities/factors/api.ts";
import { toast } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";

export function ResetFactorsCard({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const [reset] = useResetFactorsMutation();
  async function confirm() {
    const { data, error } = await reset(user.id);
    if (data === undefined) throw new Error(errorText(error, "updateUser"));
    toast("success", data.message ?? t("factors.resetDone"));
  }
  return (
    <Card title={t("factors.resetTitle")}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted">{t("factors.resetText")}</p>
        <Button onClick={() => setAsking(true)}>{t("factors.reset")}</Button>
      </div>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`${t("factors.reset")}: ${user.username}`}
        description={t("factors.resetText")}
        confirmLabel={t("factors.reset")}
        savingLabel={t("factors.resetting")}
        onConfirm={confirm}
      />
    </Card>
  );
}
