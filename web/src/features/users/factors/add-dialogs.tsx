import type { BegunFactor } from "@sonde/proto/http/factors";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useAddFactorMutation } from "../../../entities/factors/api.ts";
import { EnrollApp } from "../../../entities/factors/enroll-app.tsx";
import { createPasskey } from "../../../entities/factors/passkeys.ts";
import type { usePasswordAgain } from "../../../entities/factors/password-again.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field } from "../../../ui/field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { LoadingText } from "../../../ui/states.tsx";

type AddDialogProps = {
  run: ReturnType<typeof usePasswordAgain>["run"];
  onClose: () => void;
  onAdded: (recoveryCodes: string[] | undefined) => void;
};

export function AppDialog({ run, onClose, onAdded }: AddDialogProps) {
  const { t } = useTranslation();
  const [add] = useAddFactorMutation();
  const [begun, setBegun] = useState<Partial<BegunFactor>>();
  const [failure, setFailure] = useState<string | null>(null);
  const isAsked = useRef(false);
  useEffect(() => {
    // Effects run twice in development.
    if (isAsked.current) return;
    isAsked.current = true;
    void run((password) => add({ type: "totp", password })).then((outcome) => {
      if (outcome === null) onClose();
      else if (outcome.data === undefined) setFailure(errorText(outcome.error, "unknown"));
      else setBegun(outcome.data);
    });
  }, [run, add, onClose]);
  async function confirm(code: string) {
    const { data, error } = await add({ type: "totp", ticket: begun?.ticket, code });
    if (data === undefined) return errorText(error, "unknown");
    onAdded(data.recoveryCodes);
    return null;
  }
  return (
    <Dialog open={failure !== null || begun !== undefined} onClose={onClose} title={t("factors.addApp")}>
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      {begun?.totp === undefined ? (
        failure === null && <LoadingText />
      ) : (
        <EnrollApp totp={begun.totp} onCode={confirm} />
      )}
    </Dialog>
  );
}

export function PasskeyDialog({ run, onClose, onAdded }: AddDialogProps) {
  const { t } = useTranslation();
  const [add] = useAddFactorMutation();
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  async function make(): Promise<string | null> {
    const begun = await run((password) => add({ type: "passkey", password }));
    if (begun === null) return null;
    if (begun.data?.passkey === undefined) return errorText(begun.error, "unknown");
    const passkey = await createPasskey(begun.data.passkey);
    if (passkey === null) return t("factors.noPasskey");
    const given = name.trim() === "" ? {} : { name: name.trim() };
    const { data, error } = await add({ type: "passkey", ticket: begun.data.ticket, passkey, ...given });
    if (data === undefined) return errorText(error, "unknown");
    onAdded(data.recoveryCodes);
    return null;
  }
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isSaving) return;
    setSaving(true);
    setFailure(null);
    setFailure(await make());
    setSaving(false);
  }
  return (
    <Dialog onClose={onClose} title={t("factors.addPasskey")}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {failure !== null && <Alert kind="error">{failure}</Alert>}
        <Field label={t("factors.passkeyName")} hint={t("factors.passkeyNameHint")}>
          {(ids) => (
            <Input
              {...ids}
              value={name}
              onChange={(event) => setName(event.target.value)}
              maxLength={100}
              autoComplete="off"
              autoFocus
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("factors.checking")}>
            {t("factors.goOn")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
