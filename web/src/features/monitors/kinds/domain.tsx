import { useTranslation } from "react-i18next";
import { readNumber } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";

const empty = { domain: "", minDaysLeft: "30" };
type Form = { domain: typeof empty };

export const form: KindForm<"domain", typeof empty> = {
  empty,
  show: ({ domain, minDaysLeft }) => ({ domain, minDaysLeft: String(minDaysLeft) }),
  read: ({ domain, minDaysLeft }) => ({ type: "domain", domain, minDaysLeft: readNumber(minDaysLeft) ?? 30 }),
  proposeName: ({ domain }) => domain.trim(),
  Address: ({ autoFocus }) => <DomainField autoFocus={autoFocus} />,
  Fields,
};

function DomainField({ autoFocus }: { autoFocus: boolean | undefined }) {
  const { t } = useTranslation();
  const domain = { label: t("monitorKinds.domain.domain"), placeholder: "example.com", autoFocus };
  return <TextField<Form> name="domain.domain" {...domain} hint={t("monitorKinds.domain.domainHint")} required mono />;
}

function Fields() {
  const { t } = useTranslation();
  const days = { label: t("monitorKinds.domain.minDaysLeft"), hint: t("monitorKinds.domain.minDaysLeftHint") };
  return <TextField<Form> name="domain.minDaysLeft" {...days} placeholder="30" inputMode="numeric" />;
}
