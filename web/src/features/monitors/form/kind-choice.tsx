import { type CheckType, checkTypes } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { ChoiceCards } from "../../../ui/choice.tsx";
import { KindIcon } from "../../../ui/icons.tsx";

type KindChoiceProps = {
  type: CheckType;
  /** Without one the kind is shown and cannot be changed. */
  onChange?: ((type: CheckType) => void) | undefined;
  disabled: boolean;
};

/** What kind of check the form is of. */
export function KindChoice({ type, onChange, disabled }: KindChoiceProps) {
  const { t } = useTranslation();
  if (onChange !== undefined) {
    const options = checkTypes.map((each) => ({
      value: each,
      icon: <KindIcon type={each} />,
      name: t(`monitorKinds.${each}.name`),
      hint: t(`monitorKinds.${each}.purpose`),
    }));
    const choice = { value: type, onChange, disabled, options };
    return <ChoiceCards label={t("monitorKinds.kind")} {...choice} />;
  }
  return (
    <dl className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <dt className="sr-only">{t("monitorKinds.kind")}</dt>
      <dd className="flex items-center gap-2 font-medium">
        <KindIcon type={type} className="size-4 text-muted" />
        {t(`monitorKinds.${type}.name`)}
      </dd>
      <dd className="text-[13px] text-faint">{t("monitorKinds.fixed")}</dd>
    </dl>
  );
}
