import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { agentName } from "@sonde/proto/http/agents/agents";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { faultsIn } from "../../../lib/form-faults.ts";
import { translate } from "@sonde/proto/http/messages";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { type TokenAnswer, useCreateTokenMutation } from "../api.ts";
import { type InstallWishes, isLoopback, readInterval, readServer } from "./install.ts";

export type Settings = InstallWishes;
type GuideSettingsProps = {
  /** The address that is proposed. */
  server: string;
  /** A token was made already: the next one takes its place. */
  isRepeated: boolean;
  /** The commands follow what is typed, as long as it makes sense. */
  onChange: (settings: Settings) => void;
  onToken: (answer: TokenAnswer, name: string | null) => void;
};

const proposedSeconds = "10";

/** The server's address, the report interval, and the token. */
export function GuideSettings({ server: proposed, isRepeated, onChange, onToken }: GuideSettingsProps) {
  const { t } = useTranslation();
  const [server, setServer] = useState(proposed);
  const [interval, setInterval] = useState(proposedSeconds);
  const [name, setName] = useState("");
  const [nameFault, setNameFault] = useState<string>();
  const [makeToken, { isLoading, error }] = useCreateTokenMutation();
  const address = readServer(server);
  const intervalSeconds = readInterval(interval);

  const reportChange = useEffectEvent(onChange);
  useEffect(() => {
    if (address !== null && intervalSeconds !== null) reportChange({ server: address, intervalSeconds });
  }, [address, intervalSeconds]);

  async function make() {
    const wanted = name.trim();
    const [fault] = wanted === "" ? [] : faultsIn(agentName, wanted);
    setNameFault(fault === undefined ? undefined : translate(fault.message, currentLanguage(), fault.params));
    if (fault !== undefined || address === null || intervalSeconds === null) return;
    const answer = await makeToken({ name: wanted || undefined });
    if (answer.data !== undefined) onToken(answer.data, wanted || null);
    else setNameFault(fieldErrorsOf(answer.error).find(({ path }) => path === "name")?.message);
  }

  return (
    <Card title={t("agentGuide.settings")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        {error !== undefined && <Alert kind="error">{errorText(error, "createToken")}</Alert>}
        <Field
          label={t("agentGuide.server")}
          hint={address !== null && isLoopback(address) ? t("agentGuide.loopback") : t("agentGuide.serverHint")}
          error={address === null ? t("agentGuide.serverInvalid") : undefined}
          required
        >
          {(ids) => (
            <Input
              {...ids}
              type="url"
              inputMode="url"
              mono
              value={server}
              onChange={({ target }) => setServer(target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t("agentGuide.name")} hint={t("agentGuide.nameHint")} error={nameFault}>
            {(ids) => (
              <Input {...ids} value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" />
            )}
          </Field>
          <Field
            label={t("agentGuide.interval")}
            hint={t("agentGuide.intervalHint")}
            error={intervalSeconds === null ? t("agentGuide.intervalInvalid") : undefined}
            required
          >
            {(ids) => (
              <Input
                {...ids}
                inputMode="numeric"
                value={interval}
                onChange={({ target }) => setInterval(target.value)}
                autoComplete="off"
              />
            )}
          </Field>
        </div>
        <div className="flex justify-end">
          <Button
            type="submit"
            variant={isRepeated ? "secondary" : "primary"}
            saving={isLoading}
            savingLabel={t("agentGuide.making")}
          >
            {isRepeated ? t("agentGuide.makeAnother") : t("agentGuide.makeToken")}
          </Button>
        </div>
      </form>
    </Card>
  );
}
