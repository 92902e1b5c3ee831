import type { BegunFactor, FactorDemand, FactorInput, FactorType } from "@sonde/proto/http/factors";
import type { User } from "@sonde/proto/http/users";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useEnrollFactorMutation, useUseFactorMutation } from "../../entities/factors/api.ts";
import { CodeField } from "../../entities/factors/code-field.tsx";
import { EnrollApp } from "../../entities/factors/enroll-app.tsx";
import { hasPasskeys, createPasskey, provePasskey } from "../../entities/factors/passkeys.ts";
import { RecoveryCodes } from "../../entities/factors/recovery-codes.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

type Opened = { token: string; user: User };
type SecondStepProps = { demand: FactorDemand; onOpened: (opened: Opened) => void; onBack: () => void };

export default function SecondStep({ demand, onOpened, onBack }: SecondStepProps) {
  const { t } = useTranslation();
  const [failure, setFailure] = useState<string | null>(null);
  const [codes, setCodes] = useState<{ opened: Opened; recoveryCodes: string[] } | null>(null);
  const [send, { isLoading }] = useUseFactorMutation();

  /** Returns an error message, or `null` on success. */
  async function use(given: Omit<FactorInput, "ticket">): Promise<string | null> {
    const { data, error } = await send({ ticket: demand.ticket, ...given });
    if (data === undefined) return errorText(error, "loginFailed");
    const { token, user, recoveryCodes } = data;
    if (recoveryCodes === undefined) onOpened({ token, user });
    else setCodes({ opened: { token, user }, recoveryCodes });
    return null;
  }

  if (codes !== null) return <RecoveryCodes codes={codes.recoveryCodes} onDone={() => onOpened(codes.opened)} />;
  const isEnrolling = demand.methods.includes("enroll");
  return (
    <div className="flex flex-col gap-4">
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      {isEnrolling ? (
        <Enroll ticket={demand.ticket} use={use} onError={setFailure} />
      ) : (
        <Prove demand={demand} use={use} isSaving={isLoading} onError={setFailure} />
      )}
      <Button variant="ghost" onClick={onBack}>
        {t("factors.back")}
      </Button>
    </div>
  );
}

type StepProps = {
  use: (given: Omit<FactorInput, "ticket">) => Promise<string | null>;
  onError: (failure: string | null) => void;
};

function Prove({ demand, use, isSaving, onError }: StepProps & { demand: FactorDemand; isSaving: boolean }) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  const takesCode = demand.methods.includes("totp") || demand.methods.includes("recovery");
  async function submit(event: FormEvent) {
    event.preventDefault();
    const text = code.trim();
    if (isSaving || text === "") return;
    onError(null);
    onError(await use(/^\d{3} ?\d{3}$/.test(text) ? { code: text } : { recoveryCode: text }));
  }
  async function byPasskey() {
    onError(null);
    const passkey = await provePasskey(demand.passkey ?? {});
    onError(passkey === null ? t("factors.noPasskey") : await use({ passkey }));
  }
  return (
    <>
      {demand.passkey !== undefined && hasPasskeys() && (
        <Button variant={takesCode ? undefined : "primary"} disabled={isSaving} onClick={() => void byPasskey()}>
          {t("factors.usePasskey")}
        </Button>
      )}
      {takesCode && (
        <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
          <CodeField
            label={demand.methods.includes("totp") ? t("factors.code") : t("factors.recoveryCode")}
            hint={demand.methods.includes("totp") ? t("factors.codeHint") : undefined}
            value={code}
            onChange={setCode}
          />
          <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("factors.checking")}>
            {t("factors.goOn")}
          </Button>
        </form>
      )}
    </>
  );
}

function Enroll({ ticket, use, onError }: StepProps & { ticket: string }) {
  const { t } = useTranslation();
  const [enroll, { isLoading }] = useEnrollFactorMutation();
  const [totp, setTotp] = useState<BegunFactor["totp"]>();
  async function begin(type: FactorType) {
    onError(null);
    const { data, error } = await enroll({ ticket, type });
    if (data?.totp !== undefined) return setTotp(data.totp);
    if (data?.passkey === undefined) return onError(errorText(error, "loginFailed"));
    const newPasskey = await createPasskey(data.passkey);
    onError(newPasskey === null ? t("factors.noPasskey") : await use({ newPasskey }));
  }
  if (totp !== undefined) return <EnrollApp totp={totp} onCode={(code) => use({ code })} />;
  return (
    <>
      <p className="text-muted">{t("factors.demanded")}</p>
      <Button variant="primary" disabled={isLoading} onClick={() => void begin("totp")}>
        {t("factors.addApp")}
      </Button>
      {hasPasskeys() && (
        <Button disabled={isLoading} onClick={() => void begin("passkey")}>
          {t("factors.addPasskey")}
        </Button>
      )}
    </>
  );
}
