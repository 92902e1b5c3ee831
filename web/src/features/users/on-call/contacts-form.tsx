import { contactsInput, contactWays, maxContactRules } from "@sonde/proto/http/on-call/contacts";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { errorText } from "../../../app/errors.ts";
import { languageNames, languages } from "../../../app/i18n.ts";
import { OrderedFields } from "../../../app/forms/ordered-fields.tsx";
import { type AfterSave, FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { TimeZoneField } from "../../../app/forms/time-zone-field.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { useChannelsInForceQuery } from "../../../entities/notifications/api.ts";
import { schemaErrors } from "../../../lib/form-errors.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { type Contacts, type ContactsBody, useSaveContactsMutation, useTestContactMutation } from "./api.ts";
import { Proof } from "./proof.tsx";

type Rule = ContactsBody["rules"][number];
type RuleValues = Pick<Rule, "urgency" | "via"> & { after: string; to: string; channel: string };
type Values = {
  timeZone: string;
  language: NonNullable<Contacts["language"]> | "";
  handoff: boolean;
  night: { on: boolean; start: string; end: string };
  rules: RuleValues[];
};

/** The first contact of a person is usually their device. */
const newRule: RuleValues = { urgency: "high", via: "push", after: "0", to: "", channel: "" };

function toValues({ timeZone, language, handoff = true, night, rules }: Contacts): Values {
  return {
    timeZone,
    language: language ?? "",
    handoff,
    night: { on: night !== null, start: night?.start ?? "22:00", end: night?.end ?? "07:00" },
    rules: rules.map(({ urgency, via, after, to = "", channel = "" }) => ({
      urgency,
      via,
      to,
      after: String(after),
      channel: String(channel),
    })),
  };
}

type Addressed = Exclude<Rule["via"], "push" | "channel">;
const hasAddress = (via: Rule["via"]): via is Addressed => via !== "push" && via !== "channel";

function toBody({ timeZone, language, handoff, night: { on, ...night }, rules }: Values): ContactsBody {
  return {
    timeZone,
    language: language === "" ? undefined : language,
    handoff,
    night: on ? night : null,
    rules: rules.map(({ urgency, via, after, to, channel }) => ({
      urgency,
      via,
      after: after.trim() === "" ? NaN : Number(after),
      to: hasAddress(via) && to.trim() !== "" ? to.trim() : undefined,
      channel: via === "push" || channel === "" ? undefined : Number(channel),
    })),
  };
}

export function ContactsForm({ contacts }: { contacts: Contacts }) {
  const { t } = useTranslation();
  const [save] = useSaveContactsMutation();
  const saveForm = useSaveForm<Values>({
    stored: toValues(contacts),
    check: (values) => schemaErrors(contactsInput, toBody(values)),
    fallback: "saveContacts",
    fieldOf: (path) => (/^rules\.\d+\.\w+$/.test(path) ? path : undefined),
    onSave: async (values): Promise<AfterSave> => {
      const { contacts: saved, message } = await save(toBody(values)).unwrap();
      saveForm.form.reset(toValues(saved));
      return message ?? t("contacts.saved");
    },
  });
  return (
    <Card title={t("contacts.rules")}>
      <SaveForm of={saveForm}>
        <p className="text-muted">{t("contacts.rulesText")}</p>
        <OrderedFields
          name="rules"
          label={t("contacts.rules")}
          min={0}
          max={maxContactRules}
          added={() => newRule}
          wordOf={(what, number) => t(`contacts.rule.${what}`, { number })}
        >
          {(index) => <RuleFields index={index} stored={saveForm.isDirty ? undefined : contacts.rules[index]} />}
        </OrderedFields>
        <NightFields />
        <MessageFields />
        <FormButtons of={saveForm} submit={t("contacts.save")} />
      </SaveForm>
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </Card>
  );
}

/** @param stored the rule as saved, which can be tested; absent while the form has changes */
function RuleFields({ index, stored }: { index: number; stored: Contacts["rules"][number] | undefined }) {
  const { t } = useTranslation();
  const { data: channels = [] } = useChannelsInForceQuery();
  const { data: config } = useConfigQuery();
  const via = useWatch<Values, `rules.${number}.via`>({ name: `rules.${index}.via` });
  // The provider of a call asks Sonde what to say.
  const canCall = config?.publicUrl !== null || via === "voice";
  const ways = contactWays.filter((value) => value !== "voice" || canCall);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        <FormField<Values>
          name={`rules.${index}.via`}
          label={t("contacts.via")}
          className="col-span-2 sm:col-span-1"
          options={ways.map((value) => ({ value, label: t(`contacts.ways.${value}`) }))}
        />
        <FormField<Values>
          name={`rules.${index}.after`}
          label={t("contacts.after")}
          input={{ inputMode: "numeric", className: "tnum" }}
        />
        <FormField<Values>
          name={`rules.${index}.urgency`}
          label={t("contacts.urgency")}
          options={(["high", "low"] as const).map((value) => ({ value, label: t(`contacts.urgencies.${value}`) }))}
        />
      </div>
      {hasAddress(via) && (
        <FormField<Values>
          name={`rules.${index}.to`}
          label={t(`contacts.to.${via}`)}
          hint={via === "mail" ? t("contacts.mailHint") : undefined}
          input={{ spellCheck: false }}
        />
      )}
      {via === "channel" && (
        // A select needs a new key when its options arrive later, or it loses its value.
        <FormField<Values>
          key={channels.length}
          name={`rules.${index}.channel`}
          label={t("contacts.ways.channel")}
          options={[{ value: "", label: "–" }, ...channels.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
      {stored !== undefined && <RuleTest index={index} stored={stored} />}
    </div>
  );
}

function RuleTest({ index, stored }: { index: number; stored: Contacts["rules"][number] }) {
  const { t } = useTranslation();
  const [test, { data, error, isLoading }] = useTestContactMutation();
  const isDelivered = data?.delivery.status === "delivered";
  const answer = data?.delivery.attempts.at(-1)?.answer;
  const device = stored.via === "push" ? data?.delivery.channelName : undefined;
  const failed = data !== undefined && !isDelivered;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        {hasAddress(stored.via) ? <Proof {...stored} /> : <span />}
        <Button size="sm" saving={isLoading} savingLabel={t("contacts.testing")} onClick={() => void test(index)}>
          {t("contacts.test")}
        </Button>
      </div>
      {isDelivered && (
        <Alert kind="success">{t(stored.via === "voice" ? "contacts.testCalling" : "contacts.testDelivered")}</Alert>
      )}
      {failed && (
        <Alert kind="error">{t("contacts.testFailed", { answer: [device, answer].filter(Boolean).join(": ") })}</Alert>
      )}
      {error !== undefined && <Alert kind="error">{errorText(error, "testContact")}</Alert>}
    </div>
  );
}

function MessageFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<Values>();
  const options = languages.map((value) => ({ value, label: languageNames[value], lang: value }));
  return (
    <>
      <Switch label={t("contacts.handoff")} hint={t("contacts.handoffHint")} {...register("handoff")} />
      <FormField<Values>
        name="language"
        label={t("contacts.language")}
        className="sm:w-72"
        options={[{ value: "", label: t("contacts.teamLanguage") }, ...options]}
      />
    </>
  );
}

function NightFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<Values>();
  const isOn = useWatch<Values, "night.on">({ name: "night.on" });
  return (
    <div className="flex flex-col gap-4">
      <Switch label={t("contacts.night")} hint={t("contacts.nightHint")} {...register("night.on")} />
      <div className="grid gap-4 sm:grid-cols-[9rem_9rem_minmax(0,1fr)]">
        {isOn && (
          <>
            <FormField<Values> name="night.start" label={t("contacts.from")} input={{ type: "time" }} />
            <FormField<Values> name="night.end" label={t("contacts.until")} input={{ type: "time" }} />
          </>
        )}
        <TimeZoneField<Values> name="timeZone" label={t("contacts.timeZone")} className={isOn ? "" : "sm:col-span-2"} />
      </div>
    </div>
  );
}
