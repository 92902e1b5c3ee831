import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { currentLanguage } from "../../../app/i18n.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { clientOf } from "../sessions-card.tsx";
import { bodyOf, type Contacts, type ContactsBody, useSaveContactsMutation } from "./api.ts";
import { Proof } from "./proof.tsx";
import { canPush, ownDigest, subscribe, unsubscribe } from "./push.ts";

type DevicesCardProps = { contacts: Contacts; pushKey: string | undefined };

export function DevicesCard({ contacts, pushKey }: DevicesCardProps) {
  const { t } = useTranslation();
  const [save, { error, isLoading }] = useSaveContactsMutation();
  const [own, setOwn] = useState<string | null>(null);
  const [problem, setProblem] = useState<"denied" | "failed" | null>(null);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => void ownDigest().then(setOwn, () => undefined), [contacts.subscriptions]);
  const isEnabled = contacts.subscriptions.some(({ digest, problem: gone }) => digest === own && gone === undefined);
  const kept = contacts.subscriptions.map(({ id }) => ({ id }));

  async function enable(key: string) {
    setProblem(null);
    setAsking(true);
    try {
      const made = await subscribe(key);
      if (made === null) return setProblem("denied");
      const { browser, system } = clientOf(navigator.userAgent);
      const isKnown = browser !== undefined && system !== undefined;
      const name = isKnown ? t("profile.sessions.on", { browser, system }) : t("profile.sessions.unknownClient");
      await save({ ...firstBody(contacts), subscriptions: [...kept, { ...made, name }] });
    } catch {
      setProblem("failed");
    } finally {
      setAsking(false);
    }
  }
  async function removeDevice(id: number, isOwn: boolean) {
    const { error: failure } = await save({
      ...bodyOf(contacts),
      subscriptions: kept.filter((each) => each.id !== id),
    });
    if (failure === undefined && isOwn) await unsubscribe();
  }
  return (
    <Card title={t("contacts.devices")} gap="gap-3">
      <p className="text-muted">{t("contacts.devicesText")}</p>
      {problem !== null && <Alert kind="error">{t(`contacts.${problem}`)}</Alert>}
      {error !== undefined && <Alert kind="error">{errorText(error, "saveContacts")}</Alert>}
      <ul className="divide-y divide-line empty:hidden">
        {contacts.subscriptions.map(({ id, name, digest, ...proof }) => (
          <li key={id} className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <div className="min-w-0">
              <p className="font-medium break-words">
                {name} {digest === own && <span className="text-[13px] text-up-ink">{t("contacts.thisDevice")}</span>}
              </p>
              <Proof {...proof} />
            </div>
            <Button
              size="sm"
              aria-label={t("contacts.removeDevice", { name })}
              disabled={isLoading}
              onClick={() => void removeDevice(id, digest === own)}
            >
              {t("contacts.remove")}
            </Button>
          </li>
        ))}
      </ul>
      {!canPush() || pushKey === undefined ? (
        <p className="text-[13px] text-faint">{t("contacts.noPush")}</p>
      ) : (
        !isEnabled && (
          <Button
            variant="primary"
            className="self-start"
            saving={isAsking}
            savingLabel={t("contacts.enabling")}
            onClick={() => void enable(pushKey)}
          >
            {t("contacts.enable")}
          </Button>
        )
      )}
    </Card>
  );
}

/** The first device is also the first contact, in the device's language and time zone. */
function firstBody(contacts: Contacts): ContactsBody {
  const { rules, ...rest } = bodyOf(contacts);
  if (rules.length > 0) return { ...rest, rules };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { ...rest, timeZone, language: currentLanguage(), rules: [{ urgency: "high", after: 0, via: "push" }] };
}
