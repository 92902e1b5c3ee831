import type { Factor } from "@sonde/proto/http/factors";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useAddFactorMutation, useFactorsQuery, useRemoveFactorMutation } from "../../../entities/factors/api.ts";
import { usePasswordAgain } from "../../../entities/factors/password-again.tsx";
import { hasPasskeys } from "../../../entities/factors/passkeys.ts";
import { RecoveryCodes } from "../../../entities/factors/recovery-codes.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { LockIcon, PhoneIcon, PlusIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { AppDialog, PasskeyDialog } from "./add-dialogs.tsx";

export function FactorsCard() {
  const { t } = useTranslation();
  const { data, error } = useFactorsQuery();
  const [add] = useAddFactorMutation();
  const [remove] = useRemoveFactorMutation();
  const { run, dialog } = usePasswordAgain();
  const [adding, setAdding] = useState<"totp" | "passkey" | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [removing, setRemoving] = useState<Factor | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const may = (type: "totp" | "passkey") => data?.possible.includes(type) === true;
  const onAdded = (recoveryCodes: string[] | undefined) => {
    setAdding(null);
    setCodes(recoveryCodes ?? null);
  };

  async function renewCodes() {
    setFailure(null);
    const outcome = await run((password) => add({ type: "recovery", password }));
    if (outcome?.data !== undefined) setCodes(outcome.data.recoveryCodes ?? null);
    else if (outcome !== null) setFailure(errorText(outcome.error, "unknown"));
  }
  async function removeFactor(id: number) {
    const outcome = await run((password) => remove({ id, password }));
    if (outcome !== null && outcome.data === undefined) throw new Error(errorText(outcome.error, "unknown"));
  }

  return (
    <Card title={t("factors.card")} gap="gap-3">
      <p className="text-muted">{t("factors.text")}</p>
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      {error !== undefined && <Alert kind="error">{errorText(error, "unknown")}</Alert>}
      {data === undefined && error === undefined && <Skeleton className="h-15 w-full" />}
      {data?.factors.length === 0 && <p>{t("factors.none")}</p>}
      <ul className="divide-y divide-line empty:hidden">
        {data?.factors.map((factor) => (
          <FactorRow key={factor.id} factor={factor} onRemove={() => setRemoving(factor)} />
        ))}
      </ul>
      {data !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          {may("totp") && (
            <Button size="sm" onClick={() => setAdding("totp")}>
              <PlusIcon />
              {t("factors.addApp")}
            </Button>
          )}
          {may("passkey") && hasPasskeys() && (
            <Button size="sm" onClick={() => setAdding("passkey")}>
              <PlusIcon />
              {t("factors.addPasskey")}
            </Button>
          )}
        </div>
      )}
      {data !== undefined && data.factors.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-3">
          <p className="text-[13px] text-muted">{t("factors.codesLeft", { count: data.recoveryCodes })}</p>
          <Button size="sm" onClick={() => void renewCodes()}>
            {t("factors.newCodes")}
          </Button>
        </div>
      )}
      {data !== undefined && !may("passkey") && <p className="text-[13px] text-faint">{t("factors.elsewhere")}</p>}
      {adding === "totp" && <AppDialog run={run} onClose={() => setAdding(null)} onAdded={onAdded} />}
      {adding === "passkey" && <PasskeyDialog run={run} onClose={() => setAdding(null)} onAdded={onAdded} />}
      {codes !== null && (
        <Dialog onClose={() => setCodes(null)} title={t("factors.codesTitle")}>
          <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
        </Dialog>
      )}
      {removing !== null && (
        <ConfirmDialog
          onClose={() => setRemoving(null)}
          title={t("factors.removeTitle", { name: removing.name })}
          description={data?.factors.length === 1 ? t("factors.removeLast") : t("factors.removeText")}
          confirmLabel={t("factors.remove")}
          savingLabel={t("factors.removing")}
          onConfirm={() => removeFactor(removing.id)}
        />
      )}
      {dialog}
    </Card>
  );
}

function FactorRow({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { t } = useTranslation();
  const Icon = factor.type === "totp" ? PhoneIcon : LockIcon;
  return (
    <li className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <div className="flex min-w-0 items-start gap-2.5">
        <Icon className="mt-1 size-4 text-faint" />
        <div className="min-w-0">
          <p className="font-medium break-words">{factor.name}</p>
          <p className="text-[13px] text-muted">
            {t("factors.added")} <Time at={factor.createdAt} relative />
            {factor.lastUsedAt !== undefined && (
              <>
                {" · "}
                {t("factors.used")} <Time at={factor.lastUsedAt} relative />
              </>
            )}
          </p>
        </div>
      </div>
      <Button size="sm" onClick={onRemove} aria-label={`${t("factors.remove")}: ${factor.name}`}>
        {t("factors.remove")}
      </Button>
    </li>
  );
}
