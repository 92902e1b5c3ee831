import type { AuditTarget } from "@sonde/proto/http/audit";
import { useTranslation } from "react-i18next";
import { useTextIfAny } from "../../app/forms/schema-field.tsx";
import { formatList } from "../../lib/format.ts";
import { fieldLabel, useText } from "../kinds/kinds.ts";

/** Catalogue namespaces with the field labels of each target's form. */
const formNouns: Partial<Record<AuditTarget, string>> = {
  announcement: "announcements",
  channel: "channels",
  key: "keys",
  maintenance: "maintenance",
  page: "statusPage",
  provider: "signIn",
  report: "reports",
  schedule: "onCall",
  settings: "notificationSettings",
  slo: "slos",
  template: "templates",
  user: "users",
};

/**
 * Returns the label of a field by its path. List elements are counted from 1. Fields without a label, from older
 * versions, keep their technical name.
 */
export function useFieldName(target: AuditTarget) {
  const textIfAny = useTextIfAny();
  const text = useText();
  const labelIn = (noun: string, name: string) =>
    textIfAny(`${noun}.fields.${name}.label`) ?? textIfAny(`${noun}.fields.${name}`);
  return (path: string): string => {
    const [first = "", ...rest] = path.split(".");
    const described = fieldLabel(first);
    const labels = [
      labelIn(formNouns[target] ?? "audit", first),
      labelIn("audit", first),
      described && text(described),
      ...Object.values(formNouns).map((noun) => labelIn(noun, first)),
    ];
    const within = rest.map((part) => (/^\d+$/.test(part) ? `#${Number(part) + 1}` : part));
    return [labels.find((label) => label !== undefined) ?? first, ...within].join(" · ");
  };
}

const maxNamed = 3;

/** Returns the labels of changed fields in one line; of many, only their number. */
export function useFieldNames(target: AuditTarget): (paths: readonly string[]) => string {
  const { t, i18n } = useTranslation();
  const fieldName = useFieldName(target);
  return (paths) => {
    const names = [...new Set(paths.map((path) => fieldName(path.split(".")[0] ?? path)))];
    return names.length > maxNamed ? t("audit.count", { count: names.length }) : formatList(names, i18n.language);
  };
}
