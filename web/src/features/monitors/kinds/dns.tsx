import { type RecordType, recordTypes } from "@sonde/proto/http/monitors/checks/dns";
import { useTranslation } from "react-i18next";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import type { KindForm } from "./registry.ts";

/** `expect` holds one value a line. */
const empty = { host: "", recordType: "A" as RecordType, resolver: "", expect: "" };
type Form = { dns: typeof empty };

export const form: KindForm<"dns", typeof empty> = {
  empty,
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
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const host = { label: t("monitorKinds.host"), placeholder: "example.com", autoFocus };
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <TextField<Form> name="dns.host" {...host} required mono />
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
  const expect = { label: t("monitorKinds.dns.expect"), hint: t("monitorKinds.dns.expectHint") };
  const resolver = { label: t("monitorKinds.dns.resolver"), hint: t("monitorKinds.dns.resolverHint") };
  return (
    <>
      <TextField<Form> name="dns.expect" {...expect} mono rows={3} />
      <TextField<Form> name="dns.resolver" {...resolver} mono placeholder="1.1.1.1:53" />
    </>
  );
}
