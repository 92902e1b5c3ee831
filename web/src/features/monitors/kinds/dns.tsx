import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { type RecordType, recordTypes } from "@sonde/proto/http/monitors/checks/dns";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Select, Textarea } from "../../../ui/inputs.tsx";
import type { KindForm } from "./kind-form.ts";

type DnsValues = {
  host: string;
  recordType: RecordType;
  resolver: string;
  /** One value a line. */
  expect: string;
};
type Form = { dns: DnsValues };

export const form: KindForm<"dns", DnsValues> = {
  empty: { host: "", recordType: "A", resolver: "", expect: "" },
  show: ({ host, recordType, resolver = "", expect = [] }) => ({
    host,
    recordType,
    resolver,
    expect: expect.join("\n"),
  }),
  read: ({ host, recordType, resolver, expect }) => {
    const values = expect.split("\n").filter((line) => line.trim() !== "");
    return {
      type: "dns",
      host,
      recordType,
      resolver: resolver.trim() === "" ? null : resolver,
      expect: values.length === 0 ? null : values,
    };
  },
  proposeName: ({ host, recordType }) => (host.trim() === "" ? "" : `${host.trim()} ${recordType}`),
  Address,
  Fields,
  Summary,
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <FormField<Form> name="dns.host" label={t("monitorKinds.host")} required>
        {(props) => <Input {...props} autoFocus={autoFocus} mono spellCheck={false} placeholder="example.com" />}
      </FormField>
      <FormField<Form> name="dns.recordType" label={t("monitorKinds.dns.recordType")}>
        {(props) => (
          <Select {...props}>
            {recordTypes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        )}
      </FormField>
    </div>
  );
}

function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <FormField<Form> name="dns.expect" label={t("monitorKinds.dns.expect")} hint={t("monitorKinds.dns.expectHint")}>
        {(props) => <Textarea {...props} mono rows={3} spellCheck={false} />}
      </FormField>
      <FormField<Form>
        name="dns.resolver"
        label={t("monitorKinds.dns.resolver")}
        hint={t("monitorKinds.dns.resolverHint")}
      >
        {(props) => <Input {...props} mono spellCheck={false} placeholder="1.1.1.1:53" />}
      </FormField>
    </>
  );
}

function Summary({ check: { host, recordType, resolver, expect } }: { check: CheckOf<"dns"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.dns.recordType")}>{recordType}</Entry>
      <Entry name={t("monitorKinds.dns.resolver")}>{resolver ?? t("monitorKinds.dns.ownResolver")}</Entry>
      <Entry name={t("monitorKinds.dns.expect")} wide>
        {expect === undefined ? (
          t("monitorKinds.dns.anyAnswer")
        ) : (
          <ul className="font-mono text-[13px]">
            {expect.map((value) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
        )}
      </Entry>
    </>
  );
}
