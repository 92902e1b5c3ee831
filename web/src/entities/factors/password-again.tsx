import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { PasswordInput } from "../../ui/inputs.tsx";
import { errorText, fieldErrorsOf } from "../../app/errors.ts";

type Outcome<Answer> = { data?: Answer; error?: unknown };
type Call<Answer> = (password?: string) => Promise<Outcome<Answer>>;
type Pending = { call: Call<unknown>; done: (outcome: Outcome<unknown> | null) => void };

const needsPassword = (error: unknown) => fieldErrorsOf(error).some(({ path }) => path === "password");

/**
 * For changes that need the password if the login is not recent. `run` first calls without it, asks the user if the
 * server requires it, and resolves to `null` if the user cancels. Render `dialog`.
 */
export function usePasswordAgain(): {
  run: <Answer>(call: Call<Answer>) => Promise<Outcome<Answer> | null>;
  dialog: ReactNode;
} {
  const [pending, setPending] = useState<Pending | null>(null);
  async function run<Answer>(call: Call<Answer>): Promise<Outcome<Answer> | null> {
    const outcome = await call();
    if (!needsPassword(outcome.error)) return outcome;
    return new Promise((resolve) => {
      setPending({
        call,
        done: (later) => {
          setPending(null);
          resolve(later as Outcome<Answer> | null);
        },
      });
    });
  }
  return { run, dialog: pending === null ? null : <PasswordDialog {...pending} /> };
}

function PasswordDialog({ call, done }: Pending) {
  const { t } = useTranslation();
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (isSaving || password === "") return;
    setSaving(true);
    const outcome = await call(password);
    setSaving(false);
    if (needsPassword(outcome.error)) setFailure(errorText(outcome.error, "unknown"));
    else done(outcome);
  }
  return (
    <Dialog onClose={() => done(null)} title={t("factors.passwordTitle")}>
      <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <p className="text-muted">{t("factors.passwordText")}</p>
        <Field label={t("auth.password")} error={failure}>
          {(ids) => (
            <PasswordInput
              {...ids}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              autoComplete="current-password"
              autoFocus
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={() => done(null)}>{t("common.cancel")}</Button>
          <Button type="submit" variant="primary" saving={isSaving} savingLabel={t("factors.checking")}>
            {t("factors.goOn")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
