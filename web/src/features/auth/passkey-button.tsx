import type { User } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useBeginPasskeyMutation, useUseFactorMutation } from "../../entities/factors/api.ts";
import { hasPasskeys, provePasskey } from "../../entities/factors/passkeys.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

export default function PasskeyButton({ onOpened }: { onOpened: (opened: { token: string; user: User }) => void }) {
  const { t } = useTranslation();
  const [begin, begun] = useBeginPasskeyMutation();
  const [send, { isLoading }] = useUseFactorMutation();
  const [failure, setFailure] = useState<string | null>(null);
  async function logIn() {
    setFailure(null);
    const { data, error } = await begin();
    if (data === undefined) return setFailure(errorText(error, "loginFailed"));
    const passkey = await provePasskey(data.passkey);
    if (passkey === null) return setFailure(t("factors.noPasskey"));
    const answer = await send({ ticket: data.ticket, passkey });
    if (answer.data === undefined) return setFailure(errorText(answer.error, "loginFailed"));
    onOpened({ token: answer.data.token, user: answer.data.user });
  }
  if (!hasPasskeys()) return null;
  return (
    <div className="mt-4 flex flex-col gap-3 border-t border-line pt-4">
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      <Button saving={begun.isLoading || isLoading} savingLabel={t("factors.checking")} onClick={() => void logIn()}>
        {t("factors.logInByPasskey")}
      </Button>
    </div>
  );
}
