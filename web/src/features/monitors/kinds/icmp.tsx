import { useTranslation } from "react-i18next";
import { readNumber } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";

const empty = { host: "", count: "3", maxLoss: "50", maxRtt: "" };
type Form = { icmp: typeof empty };

export const form: KindForm<"icmp", typeof empty> = {
  empty,
  show: ({ host, count, maxLoss, maxRtt }) => ({
    host,
    count: String(count),
    maxLoss: String(maxLoss),
    maxRtt: maxRtt === undefined ? "" : String(maxRtt),
  }),
  read: ({ host, count, maxLoss, maxRtt }) => ({
    type: "icmp",
    host,
    count: readNumber(count) ?? 3,
    maxLoss: readNumber(maxLoss) ?? 50,
    maxRtt: readNumber(maxRtt) ?? null,
  }),
  proposeName: ({ host }) => host.trim(),
  Address: ({ autoFocus }) => <HostField autoFocus={autoFocus} />,
  Fields,
};

function HostField({ autoFocus }: { autoFocus: boolean | undefined }) {
  const { t } = useTranslation();
  const host = { label: t("monitorKinds.host"), placeholder: "gateway.example.com", autoFocus };
  return <TextField<Form> name="icmp.host" {...host} required mono />;
}

function Fields() {
  const { t } = useTranslation();
  const labelled = (name: "count" | "maxLoss" | "maxRtt") => ({
    label: t(`monitorKinds.icmp.${name}`),
    hint: t(`monitorKinds.icmp.${name}Hint`),
  });
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField<Form> name="icmp.count" {...labelled("count")} placeholder="3" inputMode="numeric" />
      <TextField<Form> name="icmp.maxLoss" {...labelled("maxLoss")} placeholder="50" inputMode="numeric" />
      <TextField<Form> name="icmp.maxRtt" {...labelled("maxRtt")} inputMode="numeric" />
    </div>
  );
}
